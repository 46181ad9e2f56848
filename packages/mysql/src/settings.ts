import { plainText, tlsSetting, ourSchema } from '@fair-bench/contract';
import { type RunText } from '@fair-bench/sql';
import type { SettingsInForce } from '@fair-bench/supervisor';
import { isOf } from './faults.ts';

/** The names are MySQL's and MariaDB's: https://dev.mysql.com/doc/refman/en/innodb-parameters.html. */
export const settingNames = {
  flush: 'innodb_flush_log_at_trx_commit',
  level: 'transaction_isolation',
  snapshot: 'innodb_snapshot_isolation',
} as const;

/** Among a target's settings: the storage engine behind the protocol, as the server's version and comment say. */
export const engineSetting = 'fair_bench.engine';
export const innodb = 'InnoDB';

/** Whether InnoDB writes a log at all: MySQL's administrator can turn it off, and no variable shows it. */
export const redoSetting = 'innodb_redo_log_enabled';

/** The name of transaction_isolation in MariaDB before 11.1. */
const formerLevel = 'tx_isolation';
/** Servers that speak the protocol, and keep rows otherwise. */
const otherEngines: readonly string[] = ['Dolt', 'TiDB'];

export const isOtherServer = (engine = ''): boolean => otherEngines.includes(engine);

const names = [
  ...Object.values(settingNames),
  formerLevel,
  'autocommit',
  'innodb_buffer_pool_size',
  'innodb_doublewrite',
  'innodb_flush_method',
  'innodb_log_file_size',
  'innodb_redo_log_capacity',
  'log_bin',
  'max_execution_time',
  'max_statement_time',
  'sql_mode',
  'sync_binlog',
];

/**
 * The settings in force in a session. SHOW is what all members have: one has its views in information_schema, another in
 * performance_schema, and some have none. A setting that a server lacks is absent.
 */
export async function readSettings(run: RunText): Promise<SettingsInForce> {
  const quotedNames = [...names, 'version', 'version_comment'].map((name) => `'${name}'`).join(', ');
  const variables = pairs(await run(`SHOW SESSION VARIABLES WHERE Variable_name IN (${quotedNames})`));
  const { ssl_version: tls, ...status } = pairs(
    await run(`SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_version', '${redoSetting}')`),
  );
  const { version = '', version_comment: comment = '', [formerLevel]: former, ...settings } = variables;
  const described = `${version} ${comment}`;
  return {
    ...(former === undefined ? {} : { [settingNames.level]: former }),
    ...settings,
    ...status,
    [engineSetting]: otherEngines.find((engine) => described.includes(engine)) ?? (await engineOf(run)),
    ...(tls === undefined ? {} : { [tlsSetting]: tls === '' ? plainText : tls }),
  };
}

/** The user's time for a statement was over, as MySQL and MariaDB say it. */
const outOfTime = [3024, 1969];

/**
 * What keeps the tables: a server may be set to take another engine than the one that a statement names. A user whose statements may
 * take almost no time is not told.
 */
async function engineOf(run: RunText): Promise<string> {
  const rows = await run(
    `SELECT DISTINCT engine FROM information_schema.tables WHERE table_schema = '${ourSchema()}' AND engine IS NOT NULL`,
  ).catch((error: unknown) => {
    if (isOf(error, outOfTime)) return [];
    throw error;
  });
  const others = rows.map(([engine]) => String(engine)).filter((engine) => engine !== innodb);
  return others.length === 0 ? innodb : others.toSorted().join(', ');
}

function pairs(rows: Awaited<ReturnType<RunText>>): Record<string, string> {
  return Object.fromEntries(rows.map(([name, value]) => [String(name).toLowerCase(), String(value ?? '')]));
}
