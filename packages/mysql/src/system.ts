import type { FairSetting, Isolation, TargetOptions } from '@fair-bench/contract';
import { type SqlSystem, standardType } from '@fair-bench/sql';
import { type SettingsInForce, writeCertificate } from '@fair-bench/supervisor';
import { connectionLimit } from './connection-limit.ts';
import { countersOf } from './counters.ts';
import { faults } from './faults.ts';
import { setupOf } from './own-tables.ts';
import { engineSetting, innodb, isOtherServer, readSettings, redoSetting, settingNames } from './settings.ts';

/** The columns of a row take 65,535 bytes at most, of which a character is four; the content of longer types is not counted. */
const inlineLengthMax = 1_000;

const { flush, level, snapshot } = settingNames;
const ofInnodb = { setting: engineSetting, is: [innodb] };

/** Among the settings with which a server is started: whether its sessions are encrypted. */
const tlsKey = 'tls of sessions';

/** A member of MySQL's family: what differs from the others. */
export interface MysqlMember extends Pick<
  SqlSystem,
  'name' | 'title' | 'remedy' | 'majorMin' | 'connect' | 'otherSystem'
> {
  readonly local: Omit<NonNullable<SqlSystem['local']>, 'url' | 'users' | 'settings'>;
  /** A binary order of texts in which spaces at their ends count. */
  readonly collation: string;
  /** How an isolation level is requested of a server that is started. One that is not requested stays as the server ships it. */
  readonly levels: Readonly<Partial<Record<Isolation, Readonly<Record<string, string>>>>>;
  /** Lets a session of the control plane take its time, whatever limit its user has. */
  readonly unlimited: string;
}

/** A system whose SQL, settings, faults and counters are those of MySQL's family. */
export function mysqlSystem({ local, collation, levels, ...member }: MysqlMember): SqlSystem {
  return {
    ...member,
    family: 'mysql',
    local: {
      ...local,
      users: ['mysql'],
      url: (port, settings) =>
        `${member.name}://root@127.0.0.1:${port}${settings[tlsKey] === 'on' ? '?ssl-mode=REQUIRED' : ''}`,
      launch: async (program, place, { [tlsKey]: tls, ...settings }) => {
        if (tls !== 'on') return await local.launch(program, place, settings);
        const { certificate, key } = await writeCertificate(place);
        return await local.launch(program, place, { ...settings, 'ssl-cert': certificate, 'ssl-key': key });
      },
      settings: ({ durability, isolation, extra: { tls = 'off' } }: TargetOptions) => ({
        // A server that has it answers sessions without it as well, but is another one.
        ...(tls === 'on' ? { [tlsKey]: tls } : {}),
        'innodb-flush-log-at-trx-commit': durability === 'durable' ? '1' : '2',
        ...(isolation === null ? {} : levels[isolation]),
      }),
    },
    dialect: {
      quote: (identifier) => `\`${identifier}\``,
      typeOf: (type) => {
        if (!('length' in type) || type.length <= inlineLengthMax) return standardType(type);
        return type.kind === 'text' ? 'mediumtext' : 'mediumblob';
      },
      storedType: (stored) =>
        stored.kind === 'decimal' ? `decimal(${stored.precision}, ${stored.scale})` : 'datetime(6)',
      // MySQL has no type of its own for them.
      uuidType: 'binary(16)',
      // The server's default may be latin1, and its order of texts regards case and spaces as equal.
      tableOptions: () => `ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE ${collation}`,
      // Our marks come last.
      dropsIn: (schema) => `SELECT text FROM (
        SELECT CASE WHEN table_name LIKE '%\\_by\\_fair\\_bench' THEN 3 ELSE 2 END AS place,
          CONCAT('DROP ', CASE table_type WHEN 'VIEW' THEN 'VIEW' WHEN 'SEQUENCE' THEN 'SEQUENCE' ELSE 'TABLE' END,
            ' \`${schema}\`.\`', table_name, '\`') AS text
          FROM information_schema.tables WHERE table_schema = '${schema}'
        UNION ALL SELECT 1, CONCAT('DROP ', routine_type, ' \`${schema}\`.\`', routine_name, '\`')
          FROM information_schema.routines WHERE routine_schema = '${schema}'
        UNION ALL SELECT 0, CONCAT('DROP EVENT \`${schema}\`.\`', event_name, '\`')
          FROM information_schema.events WHERE event_schema = '${schema}'
      ) AS drops ORDER BY place, text DESC`,
      snapshot: 'START TRANSACTION WITH CONSISTENT SNAPSHOT',
    },
    wireProtocol: 'mysql, prepared',
    version: 'SELECT version()',
    settings: readSettings,
    connectionLimit,
    durabilityOf({
      [flush]: when = '',
      [engineSetting]: engine,
      innodb_flush_method: method,
      log_bin: log,
      sync_binlog: sync,
      [redoSetting]: redo = 'ON',
    }) {
      if (method === 'nosync' || redo === 'OFF') return 'none';
      // A server of another kind has no such setting: it says that it is durable, and nothing that could be read.
      if (isOtherServer(engine)) return 'durable';
      // Its tables are kept by another engine than the one that was asked for, and no setting here speaks of that one.
      if (engine !== innodb) return 'none';
      // With a binary log a commit that is only prepared in InnoDB is found there after a crash, or rolled back.
      const isLogged = log === 'OFF' || sync === '1';
      return ['1', '3'].includes(when) && isLogged ? 'durable' : 'async';
    },
    isolationOf,
    setup: setupOf(member.title),
    fairProfile,
    counters: countersOf,
    faults,
  };
}

function isolationOf({ [level]: value, [snapshot]: isSnapshot }: SettingsInForce): Isolation {
  if (value === 'SERIALIZABLE') return 'serializable';
  if (value === 'READ-UNCOMMITTED') return 'read-uncommitted';
  // Without the setting REPEATABLE READ writes over what it did not read: that permits what READ COMMITTED does.
  return value === 'REPEATABLE-READ' && isSnapshot === 'ON' ? 'snapshot' : 'read-committed';
}

/** The reasons are those of https://dev.mysql.com/doc/refman/en/innodb-parameters.html. */
const fairProfile: readonly FairSetting[] = [
  {
    setting: flush,
    accepted: ['1', '3'],
    acceptedAsync: ['2'],
    when: ofInnodb,
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
    accepted: ['ON', 'DETECT_AND_RECOVER'],
    when: ofInnodb,
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
];
