import { messageOf, type StatementProtocol } from '@fair-bench/contract';
import { randomBytes } from 'node:crypto';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { openConnection } from './connection.ts';

/** Differences between servers that speak PostgreSQL's protocol, which decide the available routes. */
export interface Capabilities {
  /** `transaction`: a proxy gives the connections of one session to others between transactions. */
  readonly pooling: 'none' | 'transaction';
  /** Whether a prepared statement still exists in the session's next transaction. */
  readonly preparedStatements: boolean;
  /** Whether a PL/pgSQL function can be created, which the one-call routes need. */
  readonly functions: boolean;
}

/** What a route needs. */
export type Need = 'functions' | 'preparedStatements';

/** What calls by a protocol need. */
export function preparedIf(protocol: StatementProtocol): readonly Need[] {
  return protocol === 'prepared' ? ['preparedStatements'] : [];
}

const blockedMs = 2_000;
const pidSchema = z.tuple([z.object({ pid: z.coerce.number() })]);
const functionsSchema = z.tuple([z.object({ functions: z.boolean() })]);
/** SQLSTATEs for a missing statement, and for one that another session left under its name. */
const lostStatement = new Set(['26000', '42P05']);

const lacks: Readonly<Record<Need, { readonly reason: string; readonly remedy: string }>> = {
  preparedStatements: {
    reason: 'a pooler in transaction mode in front of it loses prepared statements',
    remedy:
      "give the URL of its session mode or of the server itself, or have the pooler keep prepared statements (PgBouncer's max_prepared_statements), or take postgres-driver[protocol=extended]",
  },
  functions: {
    reason: 'no PL/pgSQL function can be created there, and this route calls one',
    remedy: 'CREATE EXTENSION plpgsql and grant USAGE on it, or take the route drizzle, which needs none',
  },
};

/** The first unmet need, with the remedy; null if all are met. */
export function lackOf(
  capabilities: Capabilities,
  needs: readonly Need[],
): { readonly reason: string; readonly remedy: string } | null {
  const missing = needs.find((need) => !capabilities[need]);
  return missing === undefined ? null : lacks[missing];
}

/** Examines the server at a URL, live. Rejects when it does not answer. */
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
 * Runs a prepared statement in one session, lets another session open a transaction, and runs it again. A pooler in
 * transaction mode has meanwhile given the first server connection away: the statement runs in another backend, is
 * missing there, or waits for the other transaction's end. A server without a pooler does none of these.
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
  return typeof code === 'string' ? code : messageOf(error);
}
