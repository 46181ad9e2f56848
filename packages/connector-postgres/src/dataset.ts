import { readFileSync } from 'node:fs';
import type { ClientBase, ClientConfig } from 'pg';
import { z } from 'zod';
import type { BalancePage, TransferAccess, TransferDataset } from '@fair-bench/contract';
import type { Capabilities } from './capabilities.ts';
import { openConnection, withClient } from './connection.ts';
import type { Profile } from './profile.ts';
import { transferSchema, transferFunctionSql } from './transfer-function.ts';
import { tunedTableSettings } from './tuned-profile.ts';

const pageRows = 20_000;
const lockTimeoutMs = 10_000;
/** Schema and table; the native load client makes the same. */
const createAccountsSql = readFileSync(new URL('sql/create-accounts.sql', import.meta.url), 'utf8');
/** As that file has it: a schema of the user's with that name is never dropped. */
const schemaComment = 'Made by Fair Bench, which drops it.';

const commentSchema = z.array(z.object({ comment: z.string().nullable() })).max(1);
const privilegeSchema = z.tuple([z.object({ permitted: z.boolean() })]);
const pageSchema = z.array(z.tuple([z.string(), z.string()]));

/**
 * Makes schema, table and, where functions can be made, the function anew. Rejects when the schema is there and
 * not ours.
 */
export async function createObjects(
  client: ClientBase,
  { functions }: Pick<Capabilities, 'functions'>,
): Promise<void> {
  await dropObjects(client);
  await client.query(createAccountsSql);
  if (functions) await client.query(transferFunctionSql);
}

/** Drops what `createObjects` made, and nothing else. */
export async function dropObjects(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    `SELECT obj_description(oid, 'pg_namespace') AS comment FROM pg_namespace WHERE nspname = $1`,
    [transferSchema],
  );
  const [found] = commentSchema.parse(rows);
  if (found === undefined) return;
  if (found.comment !== schemaComment) {
    throw new Error(
      `a schema ${transferSchema} that is not ours is in this database; rename it, or name another database`,
    );
  }
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
  await client.query(`DROP SCHEMA ${transferSchema} CASCADE`);
}

/** Gives the table the profile's storage parameters, and takes away those of another. */
export async function setTable(client: ClientBase, { table }: Profile): Promise<void> {
  const set = Object.entries(table).map(([name, value]) => `${name} = ${value}`);
  const reset = tunedTableSettings.map(({ name }) => name).filter((name) => table[name] === undefined);
  const alter = `ALTER TABLE ${transferSchema}.accounts`;
  if (set.length > 0) await client.query(`${alter} SET (${set.join(', ')})`);
  if (reset.length > 0) await client.query(`${alter} RESET (${reset.join(', ')})`);
}

/** Whether the session's user has the right to CHECKPOINT. */
export async function mayCheckpoint(client: ClientBase): Promise<boolean> {
  // The role pg_checkpoint is there since 15.
  const { rows } = await client.query(
    `SELECT rolsuper OR EXISTS (SELECT FROM pg_roles AS r
       WHERE r.rolname = 'pg_checkpoint' AND pg_has_role(current_user, r.oid, 'USAGE')) AS permitted
     FROM pg_roles WHERE rolname = current_user`,
  );
  return privilegeSchema.parse(rows)[0].permitted;
}

/** The dataset by connections of their own, seeded into a table as the profile has it. */
export function transferAccess(config: ClientConfig, profile: Profile): TransferAccess {
  return {
    seed: async (dataset, signal) =>
      await withClient(config, signal, async (client) => await seed(client, dataset, profile)),
    balances: (signal) => balances(config, signal),
  };
}

async function seed(
  client: ClientBase,
  { accounts, initialBalance }: TransferDataset,
  profile: Profile,
): Promise<void> {
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
  // One transaction: nobody sees the table empty.
  await client.query('BEGIN');
  await setTable(client, profile);
  await client.query(`TRUNCATE ${transferSchema}.accounts`);
  await client.query(
    `INSERT INTO ${transferSchema}.accounts SELECT id, $2 FROM generate_series(0::bigint, $1::bigint - 1) AS id`,
    [accounts, initialBalance],
  );
  await client.query('COMMIT');
  await client.query(`VACUUM (ANALYZE) ${transferSchema}.accounts`);
}

/** One statement, so one snapshot, read page by page in the table's own order. */
async function* balances(config: ClientConfig, signal: AbortSignal): AsyncGenerator<BalancePage> {
  await using connection = await openConnection(config, signal);
  const { client } = connection;
  await client.query('BEGIN READ ONLY');
  await client.query(`DECLARE page NO SCROLL CURSOR FOR SELECT id, balance FROM ${transferSchema}.accounts`);
  for (;;) {
    const { rows } = await client.query({ text: `FETCH ${pageRows} FROM page`, rowMode: 'array' });
    const page = pageSchema.parse(rows);
    if (page.length === 0) return;
    yield {
      ids: page.map(([id]) => Number(id)),
      balances: page.map(([, balance]) => BigInt(balance)),
    };
  }
}
