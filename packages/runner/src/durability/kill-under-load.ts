import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as yieldToEvents, setTimeout as sleep } from 'node:timers/promises';
import { type DataPlane, isInLoadClient } from '@fair-bench/contract';
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

export interface KillLoad {
  readonly workload: LoadedWorkload;
  /** The module that the Node load client imports. */
  readonly clientModulePath: string;
  /** How long it has load before it is killed. */
  readonly loadMs: number;
}

/** The load of a kill: 128 operations outstanding. */
export const killSessions = 16;
export const killDepth = 8;
/** So many rows that operations in doubt rarely meet on one, and the audit can decide all of them. */
const rows = 20_000;
const stepTimeoutMs = 20_000;

/**
 * Loads a server with 128 outstanding operations of the workload, kills it after `loadMs`, restarts it and audits its
 * rows like those of a trial. Of an engine inside the load client, that process is killed, and another opens its files.
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
  const log = new OutcomeLog(workload, { sessions: killSessions });
  const sessions: DataPlane[] = [];
  const fate: Fate = { killedMs: Infinity };
  try {
    for (let index = 0; index < killSessions; index += 1) {
      const signal = AbortSignal.timeout(stepTimeoutMs);
      const context = { index, depth: killDepth, signal, workload: shapeOf(workload) };
      sessions.push(await client.connect(deployment.endpoint, context));
    }
    const lost = sessions.map(async (session, index) =>
      sendUntilLost(workload, { session, index, log: log.open(index) }, fate),
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
export function describeKill({ acknowledged, inDoubt, couldHide, outcome, differences }: KillReport): string {
  const found = outcome === 'kept' ? 'nothing lost' : `${outcome}: ${differences.slice(0, 3).join('; ')}`;
  return `${acknowledged} acknowledged, ${inDoubt} in doubt, ${couldHide} could hide, ${found}`;
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
}

/** So often a slot lets others run, even if its client resolves without waiting for anything. */
const turnsEvery = 32;

/** Keeps 8 operations of the session's stream outstanding until each slot ended in a fault. */
async function sendUntilLost(
  workload: Workload,
  { session, index, log }: LoadedSession,
  fate: Fate,
): Promise<SlotCounts[]> {
  const stream = createStream(workload, { session: index, sessions: killSessions });
  const slot = async (): Promise<SlotCounts> => {
    const slots = createSlots(workload);
    for (let [acknowledged, sent] = [0, 0]; ; sent += 1) {
      if (sent % turnsEvery === 0) await yieldToEvents();
      const operation = stream.next(slots);
      const values = slots[operation] ?? [];
      const sequence = log.drawn(operation, values);
      const sentUs = nowUs();
      const isGone = fate.killedMs < performance.now();
      const outcome = await session.execute(operation, values);
      log.settled(sequence, operation, values, outcome, sentUs, nowUs());
      if (outcome.kind === 'fault') return { acknowledged, inDoubt: outcome.inDoubt ? 1 : 0 };
      if (isGone) {
        throw new Error(
          `execute resolved with ${outcome.kind} for an operation that began after the server was gone; resolve with the server's reply, never before it`,
        );
      }
      if (outcome.kind === 'applied') acknowledged += 1;
    }
  };
  return await Promise.all(Array.from({ length: killDepth }, slot));
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
