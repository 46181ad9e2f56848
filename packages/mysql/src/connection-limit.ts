import type { SqlConnection } from '@fair-bench/sql';
import { type ConnectionLimit, narrowest } from '@fair-bench/supervisor';

/**
 * The narrowest limit of the session's user; null where the server does not say. By
 * https://dev.mysql.com/doc/refman/en/server-system-variables.html: `max_user_connections` of a session is its account's, 0 is none.
 */
export async function connectionLimit(connection: SqlConnection): Promise<ConnectionLimit | null> {
  try {
    const [limits] = await connection.query(
      'SELECT @@global.max_connections, @@session.max_user_connections',
      [],
    );
    const [open] = await connection.query("SHOW GLOBAL STATUS WHERE Variable_name = 'Threads_connected'", []);
    const [most, ofUser, connected] = [limits?.[0], limits?.[1], open?.[1]].map(Number);
    if (most === undefined || ofUser === undefined || connected === undefined) return null;
    if (![most, ofUser, connected].every(Number.isFinite)) return null;
    // One of them is this one, which ends before the run begins.
    const others = connected - 1;
    const ofServer = { more: most - others, because: `max_connections = ${most}, ${others} open` };
    const own = (await connection.query('SHOW PROCESSLIST', [])).length - 1;
    const ofAccount = { more: ofUser - own, because: `max_user_connections = ${ofUser}, ${own} open` };
    return narrowest(ofUser === 0 ? [ofServer] : [ofServer, ofAccount]);
  } catch (error) {
    // A server that does not know these variables says no limit.
    if (error instanceof Error && 'errno' in error) return null;
    throw error;
  }
}
