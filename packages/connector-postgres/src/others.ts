import { messageOf } from '@fair-bench/contract';
import type { SqlConnection } from '@fair-bench/sql';

/**
 * What is in other schemas than ours, and roles: by its name, a digest that another transaction's change alters too. Rejects where the
 * server does not count written rows.
 */
export async function othersIn(
  connection: SqlConnection,
  schema: string,
): Promise<ReadonlyMap<string, string>> {
  const settings = ['track_counts', 'standard_conforming_strings'];
  const read = settings.map((name) => `current_setting('${name}')`).join(', ');
  const [found] = await connection.query(`SELECT ${read}`, []);
  if (found?.[1] !== 'on')
    throw new Error('the server reads backslashes in texts: set standard_conforming_strings = on');
  if (found[0] !== 'on')
    throw new Error(
      'the server counts no written rows: set track_counts = on, so that a file cannot change yours unseen',
    );
  const rows = await connection.query(othersQuery(schema), []).catch((cause: unknown) => {
    const remedy = 'leave the URL out, or have a PostgreSQL itself there';
    throw new Error(
      `the server does not say what a file changes beside our schema: ${messageOf(cause)}; ${remedy}`,
      {
        cause,
      },
    );
  });
  return new Map(rows.map(([name, state]) => [String(name), String(state)]));
}

/** Catalogs of what else has a schema, by the beginning of their columns' names. */
const named = {
  pg_operator: 'opr',
  pg_collation: 'coll',
  pg_statistic_ext: 'stx',
  pg_ts_config: 'cfg',
  pg_ts_dict: 'dict',
  pg_opclass: 'opc',
  pg_conversion: 'con',
};

function othersQuery(schema: string): string {
  const isOther = `n.nspname NOT IN ('${schema}', 'pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'`;
  /** Rows of a catalog that belong to a relation, type or nothing else, by their numbers and transactions. */
  const versions = (catalog: string, condition: string): string =>
    `(SELECT string_agg(concat(x.tableoid, x.ctid, x.xmin), ',' ORDER BY x.ctid) FROM ${catalog} AS x WHERE ${condition})`;
  const whole = (name: string, catalog: string): string =>
    `SELECT '${name}', md5(concat(${versions(catalog, 'true')}))`;
  return [
    `SELECT format('table %I.%I', n.nspname, c.relname), md5(concat(c.oid, c.xmin,
       ${versions('pg_attribute', 'x.attrelid = c.oid')}, ${versions('pg_attrdef', 'x.adrelid = c.oid')},
       ${versions('pg_trigger', 'x.tgrelid = c.oid')}, ${versions('pg_constraint', 'x.conrelid = c.oid')},
       ${versions('pg_policy', 'x.polrelid = c.oid')}, ${versions('pg_rewrite', 'x.ev_class = c.oid')}))
     FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE ${isOther}`,
    `SELECT format('routine %I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)), concat(p.oid, '.', p.xmin)
     FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE ${isOther}`,
    `SELECT format('type %I.%I', n.nspname, t.typname), md5(concat(t.oid, t.xmin,
       ${versions('pg_enum', 'x.enumtypid = t.oid')}, ${versions('pg_constraint', 'x.contypid = t.oid')}))
     FROM pg_type AS t JOIN pg_namespace AS n ON n.oid = t.typnamespace WHERE ${isOther}`,
    `SELECT format('schema %I', n.nspname), concat(n.oid, '.', n.xmin) FROM pg_namespace AS n WHERE ${isOther}`,
    `SELECT format('role %I', r.rolname), md5(r::text) FROM pg_roles AS r`,
    ...Object.entries(named).map(
      ([catalog, prefix]) =>
        `SELECT format('%I of %I: %I', '${catalog}', n.nspname, x.${prefix}name), concat(x.oid, '.', x.xmin)
         FROM ${catalog} AS x JOIN pg_namespace AS n ON n.oid = x.${prefix}namespace WHERE ${isOther}`,
    ),
    whole('databases', 'pg_database'),
    whole('settings of roles and databases', 'pg_db_role_setting'),
    whole('members of roles', 'pg_auth_members'),
    whole('default privileges', 'pg_default_acl'),
    whole('publications', 'pg_publication'),
    whole('event triggers', 'pg_event_trigger'),
    whole('foreign servers', 'pg_foreign_server'),
    whole('large objects', 'pg_largeobject_metadata'),
    // Only what this transaction wrote.
    `SELECT format('rows of %I.%I', schemaname, relname), (n_tup_ins + n_tup_upd + n_tup_del)::text
     FROM pg_stat_xact_user_tables WHERE schemaname <> '${schema}' AND schemaname !~ '^pg_temp' AND n_tup_ins + n_tup_upd + n_tup_del > 0`,
  ].join('\nUNION ALL ');
}
