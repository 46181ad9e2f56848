import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mysqlSystem } from '@fair-bench/mysql';
import { connect } from './connection.ts';

const name = 'mysql';

/** MySQL, and services of its protocol: what differs from the others of its family. */
export const system = mysqlSystem({
  name,
  title: 'MySQL',
  remedy: `put mysqld 8.0 or later on PATH or into FAIR_BENCH_MYSQL_BIN, or name a server by --url ${name}=${name}://USER:PASSWORD@HOST:PORT`,
  majorMin: 8,
  otherSystem: (version) => (version.includes('MariaDB') ? 'MariaDB' : null),
  connect,
  collation: 'utf8mb4_0900_bin',
  unlimited: 'SET SESSION max_execution_time = 0',
  levels: {
    'read-committed': { 'transaction-isolation': 'READ-COMMITTED' },
    serializable: { 'transaction-isolation': 'SERIALIZABLE' },
  },
  local: {
    programs: ['mysqld'],
    launch: async (program, { directory, port, run }, settings) => {
      // A link to the program is no part of the folder that has its messages.
      const base = dirname(dirname(await realpath(program)));
      const shared = [
        '--no-defaults',
        `--basedir=${base}`,
        `--datadir=${join(directory, 'data')}`,
        `--tmpdir=${directory}`,
        // The folder of a package, which need not exist.
        '--secure-file-priv=NULL',
      ];
      await run(program, [...shared, '--initialize-insecure']);
      return {
        arguments: [
          ...shared,
          `--port=${port}`,
          '--bind-address=127.0.0.1',
          `--socket=${join(directory, 'socket')}`,
          '--mysqlx=OFF',
          // For replicas, which none of the other systems has here: with it a commit waits for a second flush.
          '--skip-log-bin',
          '--max-connections=10000',
          ...Object.entries(settings).map(([setting, value]) => `--${setting}=${value}`),
        ],
      };
    },
  },
});
