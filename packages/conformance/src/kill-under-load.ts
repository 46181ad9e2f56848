import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataPlane, Deployment } from '@fair-bench/contract';
import { type LoadedWorkload, seed, type Seeded } from '@fair-bench/runner';
import {
  auditOutcomes,
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
import { importClient } from './client-module.ts';

/** A server that can be killed and started again on the same data, at the same address. */
export interface KillableServer {
  readonly deployment: Pick<Deployment, 'endpoint' | 'tables'>;
  /** Sends SIGKILL to all of its processes at once, and resolves when they are gone. */
  kill(): Promise<void>;
  /** Resolves when it answers again. */
  restart(): Promise<void>;
}

/** Gives `use` a durable server of its own for a workload, and removes it and its data afterwards. */
export type WithKillableServer = (
  use: (server: KillableServer) => Promise<KillFigures>,
  workload: LoadedWorkload,
) => Promise<KillFigures>;

/** Counts of operations. */
export interface KillFigures {
  readonly acknowledged: number;
  /** Outstanding when the connection was lost. */
  readonly inDoubt: number;
  /** What the audit found after the restart that acknowledgements do not explain: none when nothing was lost. */
  readonly differences: readonly string[];
}

export interface KillLoad {
  readonly workload: LoadedWorkload;
  /** The module that the Node load client imports. */
  readonly clientModulePath: string;
  /** How long it is loaded before it is killed. */
  readonly loadMs: number;
}

const sessionCount = 16;
const depth = 8;
/** So many that what is in doubt meets on few rows, and the audit decides all of it. */
const rows = 20_000;
const stepTimeoutMs = 20_000;

/**
 * Loads a server with 128 operations of the workload outstanding, kills it after `loadMs`, starts it again and audits
 * its rows as those of a trial.
 */
export async function killUnderLoad(server: KillableServer, load: KillLoad): Promise<KillFigures> {
  const { deployment } = server;
  const { description } = load.workload;
  const seeded = await seed({
    cell: { target: 'killed', parameters: smallParameters(description, { rows }) },
    workload: description,
    deployment,
    signal: AbortSignal.timeout(stepTimeoutMs),
  });
  const { workload } = seeded;
  const client = await importClient(load.clientModulePath);
  const log = new OutcomeLog(workload, { sessions: sessionCount });
  const sessions: DataPlane[] = [];
  try {
    for (let index = 0; index < sessionCount; index += 1) {
      const signal = AbortSignal.timeout(stepTimeoutMs);
      const context = { index, depth, signal, workload: shapeOf(workload) };
      sessions.push(await client.connect(deployment.endpoint, context));
    }
    const lost = sessions.map(async (session, index) =>
      sendUntilLost(workload, { session, index, log: log.open(index) }),
    );
    await sleep(load.loadMs);
    await server.kill();
    const counts = (await Promise.all(lost)).flat();
    await server.restart();
    return { ...totals(counts), differences: await audit(seeded, log) };
  } finally {
    await Promise.all(sessions.map(async (session) => await session.close()));
  }
}

/** One line of figures, for a test to print. */
export function describeKill({ acknowledged, inDoubt, differences }: KillFigures): string {
  const lost = differences.length === 0 ? 'nothing lost' : differences.slice(0, 3).join('; ');
  return `${acknowledged} acknowledged, ${inDoubt} in doubt, ${lost}`;
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

interface LoadedSession {
  readonly session: DataPlane;
  readonly index: number;
  readonly log: SessionLog;
}

/** Keeps `depth` operations of the session's stream outstanding until each slot has met a fault. */
async function sendUntilLost(
  workload: Workload,
  { session, index, log }: LoadedSession,
): Promise<SlotCounts[]> {
  const stream = createStream(workload, { session: index, sessions: sessionCount });
  const slot = async (): Promise<SlotCounts> => {
    const slots = createSlots(workload);
    for (let acknowledged = 0; ;) {
      const operation = stream.next(slots);
      const sequence = log.drawn();
      const values = slots[operation] ?? [];
      const sentUs = nowUs();
      const outcome = await session.execute(operation, values);
      log.settled(sequence, operation, values, outcome, sentUs, nowUs());
      if (outcome.kind === 'fault') return { acknowledged, inDoubt: outcome.inDoubt ? 1 : 0 };
      if (outcome.kind === 'applied') acknowledged += 1;
    }
  };
  return await Promise.all(Array.from({ length: depth }, slot));
}

const startMs = performance.now();

function nowUs(): number {
  return Math.round((performance.now() - startMs) * 1_000);
}

async function audit({ workload, tables }: Seeded, log: OutcomeLog): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fair-bench-killed-'));
  const file = await writeOutcomeLog(join(folder, 'log'), [log.encode()]);
  const logs = await readOutcomeLog(file);
  await rm(folder, { recursive: true });
  const finding = await auditOutcomes({
    workload,
    logs,
    scan: (table, signal) => tables.scan(table, signal),
    inDoubtShareMax: 1,
    signal: AbortSignal.timeout(stepTimeoutMs),
  });
  return finding.status === 'passed' ? [] : [finding.reason, ...finding.examples];
}
