import type { PoolerOptions, PoolerSystem } from './pooler-system.ts';
import { serverUsers } from '../embedded-server.ts';

/** Statements of each client that PgBouncer keeps; 0, the default until 1.24, keeps none. */
const preparedMax = 200;
const preparedSince = [1, 21] as const;

/** PgBouncer in transaction mode: one thread, a pool for the one user and database. */
export const pgbouncer: PoolerSystem = {
  name: 'pgbouncer',
  title: 'PgBouncer',
  remedy: 'apt-get install pgbouncer, or name its program by FAIR_BENCH_PGBOUNCER_BIN',
  users: serverUsers,
  preparedSince,
  hasWorkers: false,
  takesOptions: false,
  console: 'pgbouncer',
  async launch(program, { port, write }, options) {
    const { user, password } = options;
    const users = await write('users.txt', `${quoted(user)} ${quoted(password)}\n`);
    const file = await write('pgbouncer.ini', configuration(port, users, options));
    return { command: program, arguments: [file] };
  },
  profile: [
    {
      setting: 'pool_mode',
      accepted: ['transaction'],
      reason:
        'a connection is given to another client after each transaction; in session mode there is no pooling between clients',
    },
    {
      setting: 'server_reset_query_always',
      accepted: ['0'],
      reason: 'the default; a reset after each transaction is another round trip',
    },
    { setting: 'default_pool_size', reason: 'the pool' },
    { setting: 'max_client_conn', reason: 'clients beyond it are refused' },
    { setting: 'max_prepared_statements', reason: 'since 1.21; 0 keeps no prepared statement' },
    {
      setting: 'pkt_buf',
      reason: 'the size of its buffers, which its memory and its system calls depend on',
    },
  ],
};

function configuration(
  port: number,
  users: string,
  { server, version, database, user, poolSize, clientsMax, sessionSettings }: PoolerOptions,
): string {
  const set = Object.entries(sessionSettings).map(([name, value]) => `SET ${name} = '${value}'`);
  const parts = {
    host: server.host,
    port: String(server.port),
    user: server.user,
    password: server.password,
    dbname: server.database,
    ...(set.length === 0 ? {} : { connect_query: set.join('; ') }),
  };
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    // Hashing for each of thousands of clients that connect would take this one thread minutes; the password is random.
    auth_type: 'md5',
    auth_file: users,
    admin_users: user,
    pool_mode: 'transaction',
    default_pool_size: poolSize,
    max_client_conn: clientsMax,
    ...(isSince(version, preparedSince) ? { max_prepared_statements: preparedMax } : {}),
  };
  return [
    '[databases]',
    `${database} = ${Object.entries(parts)
      .map(([name, value]) => `${name}='${value.replaceAll("'", "''")}'`)
      .join(' ')}`,
    '[pgbouncer]',
    ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
    '',
  ].join('\n');
}

/** A text of the file of users. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Whether a version such as `1.18.0` is not older; an unknown one is taken for old. */
export function isSince(version: string | null, [major, minor]: readonly [number, number]): boolean {
  const [own = 0, ownMinor = 0] = (version ?? '').split('.').map(Number);
  return own > major || (own === major && ownMinor >= minor);
}
