import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type OperationOutcome,
  type ProvisionContext,
  type Row,
  type SharedService,
  type TargetOptions,
  type Values,
  defaultTargetSettings,
} from '@fair-bench/contract';
import { readSqlBinding } from '@fair-bench/sql';
import { createSupervisor } from '@fair-bench/supervisor';
import type { Prepared } from '../../src/calls.ts';
import { timedSessionConfig } from '../../src/connection.ts';
import { connectPrepared, type PreparedSession } from '../../src/prepared-session.ts';
import { type PostgresService, startPostgres } from '../../src/service.ts';
import { textsFor } from '../../src/simple-texts.ts';
import { boxes, operations } from './boxes/workload.ts';

/** How the calls of a session are sent. */
type Sent = Pick<Prepared, 'codec' | 'protocol'>;

export interface TestServer {
  readonly service: PostgresService;
  /** Opens a session as the driver connector does. */
  session(applicationName?: string, sent?: Partial<Sent>): Promise<PreparedSession>;
  close(): Promise<void>;
}

/** The statements that sessions of the boxes prepare. */
export const prepared: Prepared = {
  workload: boxes.shape,
  statements: readSqlBinding(join(boxes.folder, 'postgres.sql')).statements,
  protocol: 'prepared',
  texts: {},
  batches: false,
  codec: 'tuned',
};

/** A service, started as by the runner, under its own supervisor; nothing is shared. */
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
    service,
    async session(applicationName = 'fair-bench test', { codec = 'stock', protocol = 'prepared' } = {}) {
      const texts = textsFor(protocol, prepared.workload.operations, prepared.statements);
      const sent = { ...prepared, codec, protocol, texts };
      return await connectPrepared(timedSessionConfig(service.url, applicationName), sent, soon());
    },
    close,
  };
}

async function testContext(
  options: Partial<TargetOptions>,
): Promise<{ context: ProvisionContext; close: () => Promise<void> }> {
  const logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
  const supervisor = createSupervisor({ logDirectory });
  const services: SharedService[] = [];
  return {
    context: {
      target: 'postgres-test',
      options: {
        ...defaultTargetSettings,
        poolSize: 8,
        sessionsMax: 50,
        depthMax: 8,
        threadsMax: 1,
        batchMax: 1,
        workload: boxes,
        ...options,
      },
      supervisor,
      signal: new AbortController().signal,
      async shared(_key, start) {
        const service = await start();
        services.unshift(service);
        return service;
      },
    },
    async close() {
      for (const service of services) await service.close();
      await supervisor.stopAll();
      await rm(logDirectory, { recursive: true });
    },
  };
}

/** Bounds a step of a test. */
export function soon(timeoutMs = 20_000): AbortSignal {
  return AbortSignal.timeout(timeoutMs);
}

/** Replaces the boxes by 0 … count − 1 with as many items each. */
export async function seedBoxes(
  { tables }: Pick<PostgresService, 'tables'>,
  count: number,
  items: bigint,
): Promise<void> {
  await tables.clear(0, soon());
  await tables.load(0, pages(Array.from({ length: count }, (_, id): Row => [id, items])), soon());
}

/** Rows in two pages. */
export async function* pages(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  const half = Math.ceil(rows.length / 2);
  yield await Promise.resolve(rows.slice(0, half));
  yield rows.slice(half);
}

/** The items of every box, read as by the audit. */
export async function readBoxes({ tables }: Pick<PostgresService, 'tables'>): Promise<Map<number, bigint>> {
  const items = new Map<number, bigint>();
  for await (const page of tables.scan(0, soon())) {
    for (const [id, count] of page) {
      if (typeof id !== 'number' || typeof count !== 'bigint') throw new Error('a box has another type');
      if (items.has(id)) throw new Error(`box ${id} was read twice`);
      items.set(id, count);
    }
  }
  return items;
}

/** An operation's number, with its arguments. */
export type Call = readonly [operation: number, values: Values];

/** A call that moves items from one box to another. */
export function moving(source: number, target: number, amount: bigint): Call {
  return calling('move', [source, target, amount]);
}

export function calling(operation: keyof typeof operations, values: Values): Call {
  return [operations[operation], values];
}

/** `applied`, the reason of a decline, or the code of a fault; a fault in doubt with a question mark. */
export function nameOf(outcome: OperationOutcome): string {
  if (outcome.kind === 'applied') return outcome.kind;
  if (outcome.kind === 'declined') return outcome.reason;
  return outcome.inDoubt ? `${outcome.code}?` : outcome.code;
}

/** Runs `count` calls on every session, one after the other on each, and counts the outcomes by name. */
export async function runLoad(
  sessions: readonly PreparedSession[],
  count: number,
  next: (session: number, operation: number) => Call,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await Promise.all(
    sessions.map(async (session, index) => {
      for (let operation = 0; operation < count; operation += 1) {
        const name = nameOf(await session.execute(...next(index, operation)));
        counts[name] = (counts[name] ?? 0) + 1;
      }
    }),
  );
  return counts;
}

export function sum(items: ReadonlyMap<number, bigint>): bigint {
  return items.values().reduce((total, count) => total + count, 0n);
}
