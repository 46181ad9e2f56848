import { dirname, join } from 'node:path';
import { type Isolation, plainText, type TargetOptions, tlsSetting } from '@fair-bench/contract';
import { type SqlSystem, standardType } from '@fair-bench/sql';
import { findProgram } from '@fair-bench/supervisor';
import { connect } from './connection.ts';
import { countersOf } from './counters.ts';

const name = 'mariadb';
const title = 'MariaDB';

/** By https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables. */
const [flush, level, snapshot] = [
  'innodb_flush_log_at_trx_commit',
  'transaction_isolation',
  'innodb_snapshot_isolation',
] as const;
const settingNames = [
  flush,
  level,
  snapshot,
  'autocommit',
  'innodb_buffer_pool_size',
  'innodb_doublewrite',
  'innodb_flush_method',
  'innodb_log_file_size',
  'log_bin',
  'sql_mode',
  'sync_binlog',
  // The name of transaction_isolation before 11.1.
  'tx_isolation',
];

/** How a level is requested; one that is not requested stays as the server ships it. */
const levelSettings: Readonly<Partial<Record<Isolation, Readonly<Record<string, string>>>>> = {
  'read-committed': { 'transaction-isolation': 'READ-COMMITTED' },
  // A server that lacks the setting starts without it, and then reports another level.
  snapshot: { 'transaction-isolation': 'REPEATABLE-READ', 'loose-innodb-snapshot-isolation': 'ON' },
  serializable: { 'transaction-isolation': 'SERIALIZABLE' },
};

/** The columns of a row take 65,535 bytes at most, of which a character is four; the content of longer types is not counted. */
const inlineLengthMax = 1_000;

export const system: SqlSystem = {
  name,
  title,
  remedy: `install mariadb-server 10.6 or later, or name a server by --url ${name}=${name}://USER:PASSWORD@HOST:PORT`,
  majorMin: 10,
  connect,
  local: {
    programs: ['mariadbd'],
    users: ['mysql'],
    url: (port) => `${name}://root@127.0.0.1:${port}`,
    settings: settingsFor,
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
  dialect: {
    quote: (identifier) => `\`${identifier}\``,
    typeOf: (type) => {
      if (!('length' in type) || type.length <= inlineLengthMax) return standardType(type);
      return type.kind === 'text' ? 'mediumtext' : 'mediumblob';
    },
    // The server's default may be latin1, and its order of texts regards case and spaces as equal.
    tableOptions: () => 'ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin',
    snapshot: 'START TRANSACTION WITH CONSISTENT SNAPSHOT',
  },
  wireProtocol: 'mysql, prepared',
  version: 'SELECT version()',
  settings: `SELECT CASE variable_name WHEN 'TX_ISOLATION' THEN '${level}' ELSE lower(variable_name) END, variable_value
    FROM information_schema.session_variables WHERE lower(variable_name) IN ('${settingNames.join("', '")}')
    UNION ALL SELECT '${tlsSetting}', CASE variable_value WHEN '' THEN '${plainText}' ELSE variable_value END
    FROM information_schema.session_status WHERE variable_name = 'SSL_VERSION'`,
  durabilityOf({ [flush]: when = '', innodb_flush_method: method, log_bin: log, sync_binlog: sync }) {
    if (method === 'nosync') return 'none';
    // With a binary log a commit that is only prepared in InnoDB is found there after a crash, or rolled back.
    const isLogged = log === 'OFF' || sync === '1';
    return ['1', '3'].includes(when) && isLogged ? 'durable' : 'async';
  },
  isolationOf({ [level]: value, [snapshot]: isSnapshot }) {
    if (value === 'SERIALIZABLE') return 'serializable';
    if (value === 'READ-UNCOMMITTED') return 'read-uncommitted';
    // Without the setting REPEATABLE READ writes over what it did not read: that permits what READ COMMITTED does.
    return value === 'REPEATABLE-READ' && isSnapshot === 'ON' ? 'snapshot' : 'read-committed';
  },
  fairProfile: [
    {
      setting: flush,
      accepted: ['1', '3'],
      acceptedAsync: ['2'],
      reason: 'with 0 and 2 the log is flushed once a second, and a commit is acknowledged before that',
    },
    {
      setting: 'sync_binlog',
      accepted: ['1'],
      acceptedAsync: ['0', '1'],
      when: { setting: 'log_bin', is: ['ON'] },
      reason: 'with a binary log a commit that is not in it is rolled back after a power cut',
    },
    {
      setting: 'innodb_doublewrite',
      accepted: ['ON'],
      reason: 'without it a power cut can leave pages half written, which the log cannot repair',
    },
    {
      setting: level,
      accepted: ['READ-COMMITTED', 'REPEATABLE-READ', 'SERIALIZABLE'],
      reason: 'READ UNCOMMITTED reads what may be rolled back',
    },
    {
      setting: 'autocommit',
      accepted: ['ON'],
      reason: 'without it a statement is acknowledged before it is committed',
    },
  ],
  counters: countersOf,
  faults: {
    codeOf: (error) => {
      // The driver's own errors have numbers below 1000 and from 45000 on.
      const code = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
      return code >= 1_000 && code < 45_000 ? String(code) : null;
    },
    refused: {
      '1020': 'serialization-failure',
      '1040': 'overloaded',
      '1205': 'serialization-failure',
      '1213': 'deadlock',
      '1264': 'invalid-request',
      '1690': 'invalid-request',
    },
    // The server is shutting down; the connection was killed.
    ended: (code) => ['1053', '1927'].includes(code),
    // Each procedure rolls back in its handler of errors, and a statement by itself.
    rolledBack: () => true,
  },
};

function settingsFor({ durability, isolation }: TargetOptions): Readonly<Record<string, string>> {
  return {
    'innodb-flush-log-at-trx-commit': durability === 'durable' ? '1' : '2',
    ...(isolation === null ? {} : levelSettings[isolation]),
  };
}

/** Of the same version as the server: from a package it is beside it or on PATH, in an archive in `scripts`. */
async function installer(program: string): Promise<string> {
  const names = ['mariadb-install-db', '../scripts/mariadb-install-db'];
  const found = await findProgram({ system: name, names, beside: program });
  if (found !== null) return found;
  throw new Error(`${program} is without mariadb-install-db; install all of mariadb-server`);
}
