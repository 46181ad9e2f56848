import { hasCode, type TableShape } from '@fair-bench/contract';
import { nameOf } from '@fair-bench/sql';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { z } from 'zod';
import { finished } from 'node:stream/promises';
import { dialect } from './statements.ts';

/** How a server takes many rows at once: what it refuses is left out, and its facts say so. */
export interface Loading {
  /** `COPY … FREEZE`, into a table that the same transaction has emptied. */
  readonly freezes: boolean;
  /** Whether indexes may be dropped and built again in that transaction. */
  readonly rebuildsIndexes: boolean;
  readonly vacuums: boolean;
}

/** PostgreSQL itself has all. */
export const wholeLoading: Loading = { freezes: true, rebuildsIndexes: true, vacuums: true };

/**
 * SQLSTATEs by which a server says that it has no such statement: not supported, no syntax of it, or, as YugabyteDB of FREEZE where it
 * reads committed rows, not in this state.
 */
const notHere = ['0A000', '42601', '55000'];

/**
 * Asks the server, on an empty table that is ours: what speaks PostgreSQL's protocol has not all of its statements. A workload
 * without tables loads nothing, and nothing is asked. Rejects for anything but "not here".
 */
export async function detectLoading(client: ClientBase, table: TableShape | undefined): Promise<Loading> {
  if (table === undefined) return wholeLoading;
  const name = nameOf(table, dialect);
  const within = async (act: () => Promise<unknown>): Promise<boolean> => {
    await client.query('BEGIN');
    try {
      return await isHere(act);
    } finally {
      await client.query('ROLLBACK');
    }
  };
  return {
    freezes: await within(async () => {
      await client.query(`TRUNCATE ${name}`);
      const filled = client.query(copyFrom(`COPY ${name} FROM STDIN (FREEZE)`));
      filled.end();
      await finished(filled);
    }),
    rebuildsIndexes: await within(async () => {
      const indexes = await indexesOf(client, name);
      await client.query(indexes.flatMap(({ drop, create }) => [drop, create]).join(';'));
    }),
    vacuums: await isHere(async () => await client.query(`VACUUM (ANALYZE) ${name}`)),
  };
}

/** What a server leaves out, for its facts: `COPY without FREEZE, no VACUUM`. */
export function describeLoading({ freezes, rebuildsIndexes, vacuums }: Loading): string {
  const words = [
    freezes ? [] : 'COPY without FREEZE',
    rebuildsIndexes ? [] : 'indexes are kept up to date row by row',
    vacuums ? [] : 'no VACUUM',
  ].flat();
  return words.length === 0 ? 'COPY with FREEZE, indexes afterwards, VACUUM' : words.join(', ');
}

async function isHere(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (hasCode(error, ...notHere)) return false;
    throw error;
  }
}

/** Indexes whose definition says everything: without options or another tablespace, and nothing depends on them. */
const indexesQuery = `SELECT
    CASE WHEN c.oid IS NULL THEN format('DROP INDEX %s', i.oid::regclass)
      ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', indrelid::regclass, conname) END AS drop,
    CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.oid)
      ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', indrelid::regclass, conname, pg_get_constraintdef(c.oid))
      END AS create
  FROM pg_index JOIN pg_class AS i ON i.oid = indexrelid
    LEFT JOIN pg_constraint AS c ON conindid = i.oid AND contype IN ('p', 'u', 'x')
  WHERE indrelid = $1::regclass AND i.reloptions IS NULL AND i.reltablespace = 0
    AND NOT indisclustered AND NOT indisreplident
    AND NOT EXISTS (SELECT FROM pg_depend WHERE refobjid IN (i.oid, c.oid) AND deptype = 'n')`;
const indexesSchema = z.array(z.object({ drop: z.string(), create: z.string() }));

/** Statements that drop each index of a table, and that build it again. */
export async function indexesOf(
  client: ClientBase,
  name: string,
): Promise<readonly { readonly drop: string; readonly create: string }[]> {
  return indexesSchema.parse((await client.query(indexesQuery, [name])).rows);
}
