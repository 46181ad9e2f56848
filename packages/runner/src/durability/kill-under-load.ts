import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as yieldToEvents, setTimeout as sleep } from 'node:timers/promises';
import {
  type BatchedOperation,
  type DataPlane,
  inDoubt,
  isInLoadClient,
  type OperationOutcome,
} from '@fair-bench/contract';
import type { Kill } from '@fair-bench/results';
import type { LoadedWorkload } from '../discover/workload.ts';
import { seed, type Seeded } from '../seed/seed.ts';
import type { KillableTarget } from './killable-target.ts';
import { SessionsApart } from './sessions-apart.ts';
import {
  replayOutcomes,
  createSlots,
  createStream,
  OutcomeLog,
  readOutcomeLog,
  type SessionLog,
  shapeOf,
  smallParameters,
  type Workload,
  writeOutcomeLog,
} from '@fair-bench/workload';
import { importClient } from '@fair-bench/load-client';
import { mkdtempDisposable } from 'node:fs/promises';

interface KillLoad {
  readonly workload: LoadedWorkload;
  /** The module that the Node load client imports. */
  readonly clientModulePath: string;
  /** How long it has load before it is killed. */
  readonly loadMs: number;
  /** Operations of a request: above 1 they are committed together. */
  readonly batch: number;
}

/** The load of a kill: 128 operations outstanding, whatever the batch. */
export const killSessions = 16;
export const killDepth = 8;
/** The batch of the tests at which a batch is durable. */
export const killBatch = 16;

function loadOf({ batch }: Pick<KillLoad, 'batch'>): { readonly sessions: number; readonly depth: number } {
  const requests = Math.max(1, Math.floor((killSessions * killDepth) / batch));
  const sessions = Math.min(killSessions, requests);
  return { sessions, depth: Math.floor(requests / sessions) };
}

/** So many rows that operations in doubt rarely meet on one, and the audit can decide all of them. */
const rows = 20_000;
const stepTimeoutMs = 20_000;

/**
 * Loads a server with 128 outstanding operations of the workload, kills it after `loadMs`, restarts it and audits its
 * rows like those of a trial. Of an engine inside the load client, the process of the sessions with the engine in it is killed, and
 * another opens its files.
 */
export async function killUnderLoad(server: KillableTarget, load: KillLoad): Promise<KillReport> {
  const { deployment } = server;
  const { description } = load.workload;
  const seeded = await seed({
    cell: { target: 'killed', parameters: smallParameters(description, { rows }) },
    workload: description,
    deployment,
    signal: AbortSignal.timeout(stepTimeoutMs),
  });
  const { workload } = seeded;
  const isApart = isInLoadClient(await deployment.facts(AbortSignal.timeout(stepTimeoutMs)));
  await using apart = isApart ? new SessionsApart(load.clientModulePath) : null;
  const client = apart?.client ?? (await importClient(load.clientModulePath));
  const { sessions: count, depth } = loadOf(load);
  const log = new OutcomeLog(workload, { sessions: count });
  const sessions: DataPlane[] = [];
  const fate: Fate = { killedMs: Infinity };
  try {
    for (let index = 0; index < count; index += 1) {
      const signal = AbortSignal.timeout(stepTimeoutMs);
      const context = { index, depth, signal, workload: shapeOf(workload) };
      sessions.push(await client.connect(deployment.endpoint, context));
    }
    const lost = sessions.map(async (session, index) =>
      sendUntilLost(workload, { session, index, log: log.open(index), count, depth, ...load }, fate),
    );
    const ended = Promise.all(lost);
    // A mistake of the client may end the load before the kill.
    ended.catch(() => undefined);
    await sleep(load.loadMs);
    await (apart ?? server).kill();
    fate.killedMs = performance.now();
    const counts = (await settledBy(ended)).flat();
    await server.restart();
    return { ...totals(counts), ...(await audit(seeded, log)) };
  } finally {
    await Promise.all(sessions.map(async (session) => await session.close()));
  }
}

/** A kill, and the rows that acknowledged operations do not explain: empty if nothing was lost. */
export type KillReport = Kill & { readonly differences: readonly string[] };

/** One line of figures for a test to print. */
export function describeKill(report: KillReport): string {
  const { acknowledged, couldHide, outcome, differences } = report;
  const found = outcome === 'kept' ? 'nothing lost' : `${outcome}: ${differences.slice(0, 3).join('; ')}`;
  return `${acknowledged} acknowledged, ${report.inDoubt} in doubt, ${couldHide} could hide, ${found}`;
}

interface SlotCounts {
  readonly acknowledged: number;
  readonly inDoubt: number;
}

function totals(counts: readonly SlotCounts[]): SlotCounts {
  const sum = (of: (each: SlotCounts) => number): number =>
    counts.reduce((total, each) => total + of(each), 0);
  return { acknowledged: sum((each) => each.acknowledged), inDoubt: sum((each) => each.inDoubt) };
}

interface Fate {
  /** When every process of the server was gone. */
  killedMs: number;
}

/** Rejects where operations have no outcome although their server is gone. */
async function settledBy<Result>(work: Promise<Result>): Promise<Result> {
  const patience = new AbortController();
  const late = sleep(stepTimeoutMs, null, { signal: patience.signal }).catch(() => null);
  const settled = await Promise.race([work.then((result) => ({ result })), late]);
  patience.abort();
  if (settled !== null) return settled.result;
  throw new Error(
    `operations have no outcome ${stepTimeoutMs / 1000} s after the server was killed; execute must resolve with a fault when the connection is lost`,
  );
}

interface LoadedSession {
  readonly session: DataPlane;
  readonly index: number;
  readonly log: SessionLog;
  /** How many sessions there are. */
  readonly count: number;
  readonly depth: number;
  readonly batch: number;
}

/** So often a slot lets others run, even if its client resolves without waiting for anything. */
const turnsEvery = 32;

/** Keeps as many requests of the session's stream outstanding as its depth until each slot ended in a fault. */
async function sendUntilLost(
  workload: Workload,
  { session, index, log, count, depth, batch }: LoadedSession,
  fate: Fate,
): Promise<SlotCounts[]> {
  const stream = createStream(workload, { session: index, sessions: count });
  const slot = async (): Promise<SlotCounts> => {
    // Operations of one request need values of their own.
    const slots = Array.from({ length: batch }, () => createSlots(workload));
    const found = { acknowledged: 0, inDoubt: 0 };
    for (let sent = 0; ; sent += 1) {
      if (sent % turnsEvery === 0) await yieldToEvents();
      const request = slots.map((place) => {
        const operation = stream.next(place);
        const values = place[operation] ?? [];
        return { operation, values, sequence: log.drawn(operation, values) };
      });
      const sentUs = nowUs();
      const isGone = fate.killedMs < performance.now();
      const outcomes = await carriedOut(session, request);
      const settledUs = nowUs();
      for (const [place, { sequence, operation, values }] of request.entries()) {
        const outcome = outcomes[place] ?? unanswered;
        log.settled(sequence, operation, values, outcome, sentUs, settledUs);
        if (outcome.kind === 'applied') found.acknowledged += 1;
        if (outcome.kind === 'fault' && outcome.inDoubt) found.inDoubt += 1;
      }
      if (outcomes.some(({ kind }) => kind === 'fault')) return found;
      if (isGone) {
        throw new Error(
          `execute resolved with ${outcomes[0]?.kind} for an operation that began after the server was gone; resolve with the server's reply, never before it`,
        );
      }
    }
  };
  return await Promise.all(Array.from({ length: depth }, slot));
}

const unanswered = inDoubt('protocol-error', 'a batch was answered with fewer outcomes than operations');

async function carriedOut(
  session: DataPlane,
  request: readonly BatchedOperation[],
): Promise<readonly OperationOutcome[]> {
  const [first] = request;
  if (request.length === 1 && first !== undefined) {
    return [await session.execute(first.operation, first.values)];
  }
  if (session.executeBatch === undefined) throw new Error('its sessions have no batches');
  return await session.executeBatch(request);
}

const startMs = performance.now();

function nowUs(): number {
  return Math.round((performance.now() - startMs) * 1_000);
}

type Audited = Pick<KillReport, 'outcome' | 'couldHide' | 'rowsUnexplained' | 'differences'>;

async function audit({ workload, tables }: Seeded, log: OutcomeLog): Promise<Audited> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'fair-bench-killed-'));
  const file = await writeOutcomeLog(join(folder.path, 'log'), [log.encode()]);
  const logs = await readOutcomeLog(file);
  const { couldHide, ...finding } = await replayOutcomes({
    workload,
    logs,
    scan: (table, signal) => tables.scan(table, signal),
    // Everything outstanding is in doubt: the solver decides, or reports that it cannot.
    inDoubtShareMax: 1,
    signal: AbortSignal.timeout(stepTimeoutMs),
  });
  if (finding.status === 'passed') return { outcome: 'kept', couldHide, rowsUnexplained: 0, differences: [] };
  const { examples, reason, mismatches } = finding;
  // If no row is unexplained, the only problem is what cannot be decided.
  return examples.length === 0
    ? { outcome: 'undecided', couldHide, rowsUnexplained: 0, differences: [reason] }
    : { outcome: 'lost', couldHide, rowsUnexplained: mismatches, differences: [reason, ...examples] };
}
