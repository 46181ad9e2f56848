import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ClientEvent,
  type ClientResult,
  type Loop,
  protocolVersion,
  type TrialPlan,
  type TrialResult,
} from '@fair-bench/results';
import { Leader, leadAlone } from '../src/leader.ts';
import { Orders } from '../src/orders.ts';
import { runLoad } from '../src/run-load.ts';
import { type SessionOutcomes, readOutcomeLog } from '@fair-bench/workload';
import { numberedWorkload } from './doubles/numbered-workload.ts';

const double = (name: string): string => fileURLToPath(new URL(`./doubles/${name}.ts`, import.meta.url));

export interface TrialSettings {
  readonly options: TrialPlan['endpoint']['options'];
  readonly sessions?: number;
  readonly share?: TrialPlan['share'];
  readonly depth?: number;
  readonly batch?: number;
  readonly threads?: number;
  readonly loop?: Loop;
  readonly timing?: Partial<TrialPlan['timing']>;
  /** Weight of the read-only operation; the other has weight 1. */
  readonly reads?: number;
  readonly logPath?: string | null;
  readonly canaries?: TrialPlan['canaries'];
}

/** A plan of a short trial against the session double, scripted by `options`. */
export function planOnDoubles(settings: TrialSettings): TrialPlan {
  return {
    protocol: protocolVersion,
    trialId: 'trial-on-doubles',
    client: { kind: 'node', module: double('scripted-client-double') },
    endpoint: { url: 'double://user:secret@nowhere', options: settings.options },
    workload: numberedWorkload({ reads: settings.reads ?? 0 }),
    sessions: settings.sessions ?? 4,
    share: settings.share ?? null,
    depth: settings.depth ?? 2,
    batch: settings.batch ?? 1,
    threads: settings.threads ?? 1,
    loop: settings.loop ?? { kind: 'closed' },
    timing: {
      warmupMs: 100,
      warmupMsMax: 100,
      windowMs: 500,
      windowMsMax: settings.timing?.windowMs ?? 500,
      drainMs: 2000,
      connectMs: 2000,
      operationMs: 1000,
      ...settings.timing,
    },
    canaries: settings.canaries ?? [],
    logPath: settings.logPath ?? null,
  };
}

export interface TrialOutcome {
  readonly result: TrialResult;
  readonly events: readonly ClientEvent[];
  /** When each event came. */
  readonly eventsMs: readonly number[];
  /** What the outcome log says was applied: `session/ordinal`. */
  readonly applied: readonly string[];
  /** The number of operations in doubt. */
  readonly inDoubt: number;
}

/** Runs a trial in this process, with an outcome log. */
export async function runOnDoubles(settings: TrialSettings): Promise<TrialOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'load-client-'));
  const events: ClientEvent[] = [];
  const eventsMs: number[] = [];
  try {
    const logPath = join(folder, 'log');
    const plan = planOnDoubles({ ...settings, logPath });
    const leader = new Leader(plan);
    const orders = new Orders();
    const answer = leadAlone(leader, (order) => orders.hear(order));
    const context = {
      emit: (event: ClientEvent) => {
        events.push(event);
        eventsMs.push(performance.now());
        answer(event);
      },
      orders,
    };
    const result = leader.resultOf(await runLoad(plan, context));
    if (result.log === null) throw new Error('the trial left no log');
    const logs = await readOutcomeLog(result.log);
    return {
      result,
      events,
      eventsMs,
      applied: logs.flatMap(appliedIn),
      inDoubt: sumOf(logs.map(inDoubtIn)),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const kindInDoubt = 2;

/** Pairs of words: sequence; operation << 16 | kind << 8 | code. */
function exceptionsIn({ exceptions }: SessionOutcomes): { sequence: number; kind: number }[] {
  return Array.from({ length: exceptions.length / 2 }, (_, index) => ({
    sequence: exceptions[2 * index] ?? 0,
    kind: ((exceptions[2 * index + 1] ?? 0) >>> 8) & 0xff,
  }));
}

function inDoubtIn(log: SessionOutcomes): number {
  return exceptionsIn(log).filter(({ kind }) => kind === kindInDoubt).length;
}

function appliedIn(log: SessionOutcomes): string[] {
  const excepted = new Set(exceptionsIn(log).map(({ sequence }) => sequence));
  return Array.from({ length: log.drawn }, (_, ordinal) => ordinal)
    .filter((ordinal) => !excepted.has(ordinal))
    .map((ordinal) => `${log.session}/${ordinal}`);
}

export function sumOf(counts: Readonly<Record<string, number>> | readonly number[]): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

export function allOf(counts: ClientResult['total']): number {
  return counts.applied + sumOf(counts.declined) + sumOf(counts.faults);
}
