import { withClient } from './connection.ts';

/** When the server was started, and its port: whatever address it was reached by. */
export async function identify(url: string, signal: AbortSignal): Promise<string> {
  return await withClient(
    { connectionString: url, application_name: 'fair-bench control' },
    signal,
    async (client) => {
      // Whatever sends reads elsewhere keeps a transaction where it writes.
      await client.query('BEGIN');
      const { rows } = await client.query<{ words: string }>(
        "SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), current_setting('port')) AS words",
      );
      await client.query('COMMIT');
      return rows[0]?.words ?? '';
    },
  );
}
