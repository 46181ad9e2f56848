import { InputError, ourSchema, type TableShape } from '@fair-bench/contract';
import {
  markTables,
  type OtherRows,
  otherRowsIn,
  type Setup,
  type SetupDialect,
  setUpTables,
  type Statement,
} from '@fair-bench/sql';
import type { ClientBase, ClientConfig } from 'pg';
import { z } from 'zod';
import { sqlOf, withClient } from './connection.ts';
import { othersIn } from './others.ts';
import { dialect } from './statements.ts';

const integers = /^(?:smallint|integer|bigint)\b|^numeric\(0\)$/;

/** How the tables of a user's file are made: in one transaction, and undone where it changes what is not ours. */
export function setupDialect(): SetupDialect {
  const schema = ourSchema();
  const marks = markTables.map((name) => `'${name}'`).join(', ');
  return {
    title: 'PostgreSQL',
    kind: 'postgres',
    begin: ['BEGIN', `SET LOCAL search_path TO ${schema}`],
    end: ['COMMIT'],
    columns: `SELECT table_name, column_name, CASE WHEN is_nullable = 'NO' AND column_default IS NULL
        AND is_identity = 'NO' AND is_generated = 'NEVER' THEN 1 ELSE 0 END,
        CASE data_type WHEN 'USER-DEFINED' THEN udt_name ELSE data_type END
          || coalesce('(' || coalesce(numeric_scale, datetime_precision) || ')', '')
      FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = '${schema}' AND table_type = 'BASE TABLE' AND table_name NOT IN (${marks})
      ORDER BY table_name, ordinal_position`,
    types: {
      key: integers,
      int64: integers,
      bool: /^boolean/,
      decimal: /^(?:smallint|integer|bigint|numeric)\b/,
      text: /^(?:text|char|citext)/,
      bytes: /^bytea/,
      timestamp: /^timestamp.*\(6\)$/,
      uuid: /^uuid/,
    },
    theirs: {
      refuses,
      async changes(connection) {
        const before = await othersIn(connection, schema);
        return async () => {
          const after = await othersIn(connection, schema);
          const changed = [...after].filter(([name, state]) => before.get(name) !== state);
          return [...changed.map(([name]) => name), ...[...before.keys()].filter((name) => !after.has(name))];
        };
      },
    },
  };
}

const carriedOut = new Set(
  'create alter drop insert update delete truncate with select set reset comment grant revoke do lock analyze'.split(
    ' ',
  ),
);
const ofServer = new Set(
  'database role user group tablespace system server publication subscription event language cast access'.split(
    ' ',
  ),
);

/** The rest is undone where it changes what is not ours; these are not in a transaction, or end it. */
function refuses({ words, text }: Statement): string | null {
  const [first = '', second = ''] = words;
  if (!carriedOut.has(first)) return first.toUpperCase();
  const called = words.find((word) => /^(?:setval|dblink.*|lo_.*|lowrite)$/.test(word));
  if (called !== undefined) return called;
  // It changes what is a text: then this is no longer what the server reads.
  if (/standard_conforming_strings/i.test(text) && words.at(-1) !== 'on')
    return 'standard_conforming_strings';
  if (first === 'comment') {
    const dot = words.indexOf('.');
    if (ofServer.has(words[2] ?? '') || (dot > 0 && words[dot - 1] !== ourSchema())) return 'COMMENT';
  }
  if (['create', 'alter', 'drop'].includes(first) && ofServer.has(second))
    return `${first} ${second}`.toUpperCase();
  return null;
}

const oidsSchema = z.array(z.object({ oid: z.string() }));

/** The functions in our schema: of the user's tables, before the workload's. */
async function routinesOf(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query(
    `SELECT oid::text AS oid FROM pg_catalog.pg_proc WHERE pronamespace = to_regnamespace('${ourSchema()}')`,
  );
  return oidsSchema.parse(rows).map(({ oid }) => oid);
}

const keysSchema = z.array(z.object({ name: z.string(), drop: z.string(), create: z.string() }));
type ForeignKey = z.infer<typeof keysSchema>[number];
const triggersSchema = z.array(z.object({ disable: z.string(), enable: z.string() }));

/**
 * What of the user's tables acts on rows by itself: foreign keys, without which a table to which one refers can be emptied, and triggers,
 * which would change what is seeded. They are lifted for the seeding, and put back once all tables are full, which checks every row.
 */
export class Constraints {
  readonly #lifted = new Map<string, ForeignKey>();
  #disabled: z.infer<typeof triggersSchema> = [];

  async lift(client: ClientBase): Promise<void> {
    const keys = await foreignKeys(client);
    const triggers = await enabledTriggers(client);
    const statements = [...keys.map(({ drop }) => drop), ...triggers.map(({ disable }) => disable)];
    if (statements.length === 0) return;
    // Known before: an answer may be lost. All or none.
    for (const key of keys) this.#lifted.set(key.name, key);
    this.#disabled = [...this.#disabled, ...triggers];
    await client.query(statements.join(';'));
  }

  /** Rejects with the key and the row where seeded rows refer to none. */
  async restore(client: ClientBase): Promise<void> {
    if (this.#lifted.size === 0 && this.#disabled.length === 0) return;
    const there = new Set((await foreignKeys(client)).map(({ name }) => name));
    const missing = [...this.#lifted.values()].filter(({ name }) => !there.has(name));
    const statements = [
      ...missing.map(({ create }) => create),
      ...this.#disabled.map(({ enable }) => enable),
    ];
    if (statements.length > 0) await client.query(statements.join(';'));
    this.#lifted.clear();
    this.#disabled = [];
  }
}

async function foreignKeys(client: ClientBase): Promise<readonly ForeignKey[]> {
  const { rows } = await client.query(
    `SELECT format('%I.%I', r.relname, c.conname) AS name,
       format('ALTER TABLE %I.%I DROP CONSTRAINT %I', n.nspname, r.relname, c.conname) AS drop,
       format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s', n.nspname, r.relname, c.conname, pg_get_constraintdef(c.oid)) AS create
     FROM pg_constraint AS c JOIN pg_class AS r ON r.oid = c.conrelid JOIN pg_namespace AS n ON n.oid = r.relnamespace
     WHERE c.contype = 'f' AND c.conparentid = 0 AND n.nspname = '${ourSchema()}' ORDER BY c.oid`,
  );
  return keysSchema.parse(rows);
}

async function enabledTriggers(client: ClientBase): Promise<z.infer<typeof triggersSchema>> {
  const { rows } = await client.query(
    `SELECT format('ALTER TABLE %I.%I DISABLE TRIGGER %I', n.nspname, r.relname, t.tgname) AS disable,
       format('ALTER TABLE %I.%I ENABLE %s TRIGGER %I', n.nspname, r.relname,
         CASE t.tgenabled WHEN 'A' THEN 'ALWAYS' WHEN 'R' THEN 'REPLICA' ELSE '' END, t.tgname) AS enable
     FROM pg_trigger AS t JOIN pg_class AS r ON r.oid = t.tgrelid JOIN pg_namespace AS n ON n.oid = r.relnamespace
     WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgparentid = 0 AND n.nspname = '${ourSchema()}'`,
  );
  return triggersSchema.parse(rows);
}

/** What the user's own tables have besides rows. */
export interface OwnTables {
  readonly constraints: Constraints;
  /** The numbers of their functions, which are no operations. */
  readonly routines: readonly string[];
  /** Of tables that the workload does not describe. */
  readonly others: OtherRows;
}

/** Makes the tables of a user's file in our schema; the file's own settings end with the session. */
export async function makeOwnTables(
  config: ClientConfig,
  setup: Setup,
  { tables, isTheirs }: { readonly tables: readonly TableShape[]; readonly isTheirs: boolean },
  signal: AbortSignal,
): Promise<OwnTables> {
  return await withClient(config, signal, async (client) => {
    await setUpTables(sqlOf(client), setup, tables, setupDialect(), isTheirs);
    const { rows } = await client.query(
      `SELECT relname AS name FROM pg_class WHERE relkind IN ('p', 'f') AND relnamespace = '${ourSchema()}'::regnamespace`,
    );
    const [elsewhere] = z.array(z.object({ name: z.string() })).parse(rows);
    if (elsewhere !== undefined)
      throw new InputError(
        `setup ${setup.path}: its table ${elsewhere.name} is partitioned or foreign: whether its rows are logged is not seen; make it an ordinary one`,
      );
    return {
      constraints: new Constraints(),
      routines: await routinesOf(client),
      others: await otherRowsIn(sqlOf(client), tables, setupDialect(), dialect),
    };
  });
}
