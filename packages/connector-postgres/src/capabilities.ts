import { randomBytes } from 'node:crypto';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { openConnection } from './connection.ts';
import { reasonOf } from '@fair-bench/session';

/** What differs between servers that speak PostgreSQL's protocol, and decides which routes they can have. */
export interface Capabilities {
  /** `transaction`: something in between gives the connections of one session to others between transactions. */
  readonly pooling: 'none' | 'transaction';
  /** Whether a statement that a session prepared is there in its next transaction. Every route rests on it. */
  readonly preparedStatements: boolean;
  /** Whether a function in PL/pgSQL can be made, which the routes of one call rest on. */
  readonly functions: boolean;
}

/** What a route cannot do without. */
export type Need = 'functions' | 'preparedStatements';

const blockedMs = 2_000;
const pidSchema = z.tuple([z.object({ pid: z.coerce.number() })]);
const functionsSchema = z.tuple([z.object({ functions: z.boolean() })]);
/** SQLSTATEs for a statement that is not there, and for one that somebody else left behind under its name. */
const lostStatement = new Set(['26000', '42P05']);

const lacks: Readonly<Record<Need, { readonly reason: string; readonly remedy: string }>> = {
  preparedStatements: {
    reason: 'a pooler in transaction mode stands before it and loses prepared statements',
    remedy:
      "give the URL of its session mode or of the server itself, or have the pooler keep prepared statements (PgBouncer's max_prepared_statements)",
  },
  functions: {
    reason: 'no function in PL/pgSQL can be made there, and this route is one call of such a function',
    remedy: 'CREATE EXTENSION plpgsql and grant USAGE on it, or take the route drizzle, which needs none',
  },
};

/** What of the needs is lacking, with the remedy; null when nothing is. */
export function lackOf(
  capabilities: Capabilities,
  needs: readonly Need[],
): { readonly reason: string; readonly remedy: string } | null {
  const missing = needs.find((need) => !capabilities[need]);
  return missing === undefined ? null : lacks[missing];
}

/** Asks the server at a URL, live. Rejects when it does not answer. */
export async function detectCapabilities(url: string, signal: AbortSignal): Promise<Capabilities> {
  const config = { connectionString: url, application_name: 'fair-bench control' };
  await using first = await openConnection(config, signal);
  await using second = await openConnection(config, signal);
  return {
    ...(await detectPooling(first.client, second.client)),
    functions: await mayMakeFunctions(second.client),
  };
}

/**
 * Runs a prepared statement in one session, has another session open a transaction, and runs it again. A pooler in
 * transaction mode has meanwhile given the first one's server connection away: the statement runs in another
 * backend, finds itself missing there, or waits for the other transaction's end, which a server of one's own never does.
 */
async function detectPooling(
  first: ClientBase,
  second: ClientBase,
): Promise<Pick<Capabilities, 'pooling' | 'preparedStatements'>> {
  const statement = {
    name: `fair_bench_${randomBytes(6).toString('hex')}`,
    text: 'SELECT pg_backend_pid() AS pid',
  };
  const pid = async (): Promise<number> => pidSchema.parse((await first.query(statement)).rows)[0].pid;
  const before = await pid();
  await second.query('BEGIN');
  const again = pid().then(
    (after) => ({ kind: 'ran', after }) as const,
    (error: unknown) => ({ kind: 'failed', error }) as const,
  );
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), blockedMs);
  const inTime = await Promise.race([again, late]);
  clearTimeout(timer);
  await second.query('ROLLBACK');
  const outcome = await again;
  if (outcome.kind === 'failed') {
    if (!lostStatement.has(sqlStateOf(outcome.error))) throw outcome.error;
    return { pooling: 'transaction', preparedStatements: false };
  }
  const pooling = inTime === 'late' || outcome.after !== before ? 'transaction' : 'none';
  return { pooling, preparedStatements: true };
}

async function mayMakeFunctions(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_language
       WHERE lanname = 'plpgsql' AND has_language_privilege(oid, 'USAGE')) AS functions`,
  );
  return functionsSchema.parse(rows)[0].functions;
}

function sqlStateOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : reasonOf(error);
}
