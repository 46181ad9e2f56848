import type { PoolerSystem } from './pooler-system.ts';

/** PgDog in transaction mode, as it ships but for the size of the pool and its threads. */
export const pgdog: PoolerSystem = {
  name: 'pgdog',
  title: 'PgDog',
  remedy: 'build it from its public source (docs/engines.md), and name its program by FAIR_BENCH_PGDOG_BIN',
  preparedSince: null,
  hasWorkers: true,
  takesOptions: true,
  console: 'admin',
  async launch(program, { port, write }, { server, database, user, password, poolSize, workers }) {
    const config = await write(
      'pgdog.toml',
      toml([
        [
          '[general]',
          {
            host: '127.0.0.1',
            port,
            ...(workers === null ? {} : { workers }),
            default_pool_size: poolSize,
            pooler_mode: 'transaction',
            // As for the other pooler: hashing for thousands of clients that connect protects no random password better.
            auth_type: 'md5',
          },
        ],
        [
          '[[databases]]',
          {
            name: database,
            host: server.host,
            port: server.port,
            database_name: server.database,
          },
        ],
        ['[admin]', { name: 'admin', user, password }],
      ]),
    );
    const users = await write(
      'users.toml',
      toml([
        [
          '[[users]]',
          {
            name: user,
            database,
            password,
            server_user: server.user,
            server_password: server.password,
          },
        ],
      ]),
    );
    return { command: program, arguments: ['--config', config, '--users', users] };
  },
  profile: [
    {
      setting: 'pooler_mode',
      accepted: ['transaction'],
      reason: 'the default: a connection is given to another client after each transaction',
    },
    { setting: 'default_pool_size', reason: 'the pool' },
    { setting: 'workers', reason: 'its threads: as many as it ships with, unless the target names others' },
    { setting: 'prepared_statements', reason: 'which prepared statements it keeps' },
    {
      setting: 'query_parser_enabled',
      reason: 'parsing each statement costs CPU time; it is for shards and replicas',
    },
  ],
};

type Section = readonly [head: string, values: Readonly<Record<string, string | number>>];

/** Sections with texts and numbers. */
function toml(sections: readonly Section[]): string {
  const lines = sections.flatMap(([head, values]) => [
    head,
    // JSON's texts are TOML's.
    ...Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
  ]);
  return `${lines.join('\n')}\n`;
}
