import { dirname, join } from 'node:path';
import { mysqlSystem } from '@fair-bench/mysql';
import { findProgram } from '@fair-bench/supervisor';
import { connect } from './connection.ts';

const name = 'mariadb';

/** MariaDB: what differs from the others of MySQL's family. */
export const system = mysqlSystem({
  name,
  title: 'MariaDB',
  remedy: `install mariadb-server 10.6 or later, or name a server by --url ${name}=${name}://USER:PASSWORD@HOST:PORT`,
  majorMin: 10,
  otherSystem: (version) =>
    version.includes('MariaDB') ? null : 'MySQL or a service of its protocol; name it as mysql',
  connect,
  collation: 'utf8mb4_nopad_bin',
  unlimited: 'SET SESSION max_statement_time = 0',
  levels: {
    'read-committed': { 'transaction-isolation': 'READ-COMMITTED' },
    // A server that lacks the setting starts without it, and then reports another level.
    snapshot: { 'transaction-isolation': 'REPEATABLE-READ', 'loose-innodb-snapshot-isolation': 'ON' },
    serializable: { 'transaction-isolation': 'SERIALIZABLE' },
  },
  local: {
    programs: ['mariadbd'],
    launch: async (program, { directory, port, run }, settings) => {
      const base = dirname(dirname(program));
      const data = join(directory, 'data');
      // A server that starts removes temporary tables from this folder, also those of another that is starting.
      const shared = ['--no-defaults', `--basedir=${base}`, `--datadir=${data}`, `--tmpdir=${directory}`];
      await run(await installer(program), [
        ...shared,
        '--auth-root-authentication-method=normal',
        '--skip-name-resolve',
        '--skip-test-db',
      ]);
      return {
        arguments: [
          ...shared,
          `--port=${port}`,
          '--bind-address=127.0.0.1',
          `--socket=${join(directory, 'socket')}`,
          '--skip-name-resolve',
          '--max-connections=10000',
          ...Object.entries(settings).map(([setting, value]) => `--${setting}=${value}`),
        ],
      };
    },
  },
});

/** Of the same version as the server: from a package it is beside it or on PATH, in an archive in `scripts`. */
async function installer(program: string): Promise<string> {
  const names = ['mariadb-install-db', '../scripts/mariadb-install-db'];
  const found = await findProgram({ system: name, names, beside: program });
  if (found !== null) return found;
  throw new Error(`${program} is without mariadb-install-db; install all of mariadb-server`);
}
