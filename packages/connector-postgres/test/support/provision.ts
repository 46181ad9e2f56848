import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type OperationOutcome,
  type Outcome,
  type Session,
  type TransferAccess,
  type ProvisionContext,
  type TargetOptions,
  type Transfer,
  plainTargetSettings,
} from '@fair-bench/contract';
import { createSupervisor } from '@fair-bench/supervisor';
import { sessionOver, transferAccessBy, transferTarget } from '@fair-bench/conformance';
import type { ClientConfig } from 'pg';
import { timedSessionConfig } from '../../src/connection.ts';
import { connectPrepared, type PreparedSession } from '../../src/prepared-session.ts';
import { type PostgresService, startPostgres } from '../../src/service.ts';

export interface TransferSession extends Session<Transfer> {
  connection(): ReturnType<PreparedSession['connection']>;
}

export interface TestServer {
  readonly service: PostgresService & { readonly transfer: TransferAccess };
  /** Opens a session as the driver connector does. */
  session(applicationName?: string): Promise<TransferSession>;
  close(): Promise<void>;
}

async function connectTransfer(config: ClientConfig): Promise<TransferSession> {
  const session = await connectPrepared(config, prepared, soon());
  const plane = sessionOver({
    execute: (operation, values) => session.execute({ operation, values }),
    close: () => session.close(),
  });
  return { ...plane, connection: () => session.connection() };
}

/** What a pool of the transfer prepares. */
export const prepared = { workload: transferTarget.shape, statements: {} };

/** A service as the runner would start it, under a supervisor of its own; nothing is shared. */
export async function startServer(options: Partial<TargetOptions> = {}): Promise<TestServer> {
  const { context, close } = await testContext(options);
  let service: PostgresService;
  try {
    service = await startPostgres(context);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    service: { ...service, transfer: accessOf(service) },
    session: async (applicationName = 'fair-bench test') =>
      await connectTransfer(timedSessionConfig(service.url, applicationName)),
    async close() {
      await service.close();
      await close();
    },
  };
}

async function testContext(
  options: Partial<TargetOptions>,
): Promise<{ context: ProvisionContext; close: () => Promise<void> }> {
  const logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
  const supervisor = createSupervisor({ logDirectory });
  return {
    context: {
      target: 'postgres-test',
      options: {
        ...plainTargetSettings,
        poolSize: 8,
        sessionsMax: 50,
        depthMax: 8,
        workload: transferTarget,
        ...options,
      },
      supervisor,
      signal: new AbortController().signal,
      shared: async (_key, start) => await start(),
    },
    async close() {
      await supervisor.stopAll();
      await rm(logDirectory, { recursive: true });
    },
  };
}

/** Bounds a step of a test. */
export function soon(timeoutMs = 20_000): AbortSignal {
  return AbortSignal.timeout(timeoutMs);
}

/** Every balance by its account, read as the audit reads it. */
export async function readBalances(service: Pick<PostgresService, 'tables'>): Promise<Map<number, bigint>> {
  const balances = new Map<number, bigint>();
  for await (const page of accessOf(service).balances(soon())) {
    for (const [index, id] of page.ids.entries()) {
      if (balances.has(id)) throw new Error(`account ${id} was read twice`);
      balances.set(id, page.balances[index] ?? -1n);
    }
  }
  return balances;
}

/** `applied`, the reason of a decline, or the code of a fault; a fault in doubt with a question mark. */
export function nameOf(outcome: Outcome | OperationOutcome): string {
  if (outcome.kind === 'applied') return outcome.kind;
  if (outcome.kind === 'declined') return outcome.reason;
  return outcome.inDoubt ? `${outcome.code}?` : outcome.code;
}

/** Runs `operations` on every session, one after the other on each, and counts the outcomes by name. */
export async function runLoad(
  sessions: readonly TransferSession[],
  operations: number,
  next: (session: number, operation: number) => Transfer,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await Promise.all(
    sessions.map(async (session, index) => {
      for (let operation = 0; operation < operations; operation += 1) {
        const name = nameOf(await session.execute(next(index, operation)));
        counts[name] = (counts[name] ?? 0) + 1;
      }
    }),
  );
  return counts;
}

export function sum(balances: ReadonlyMap<number, bigint>): bigint {
  return balances.values().reduce((total, balance) => total + balance, 0n);
}

function accessOf({ tables }: Pick<PostgresService, 'tables'>): TransferAccess {
  return transferAccessBy(tables);
}
