import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClientEvent, Loop, TrialPlan, TrialResult } from '@fair-bench/results';
import { runTrial } from '../src/run-trial.ts';
import { decodeLedgerDouble } from './doubles/counting-workload-double.ts';

const double = (name: string): string => fileURLToPath(new URL(`./doubles/${name}.ts`, import.meta.url));

export interface TrialSettings {
  readonly options: TrialPlan['endpoint']['options'];
  readonly sessions?: number;
  readonly depth?: number;
  readonly threads?: number;
  readonly loop?: Loop;
  readonly timing?: Partial<TrialPlan['timing']>;
  readonly ledgerPath?: string | null;
}

/** A plan of a short trial against the session double; `options` say what it does. */
export function planOnDoubles(settings: TrialSettings): TrialPlan {
  return {
    protocol: 1,
    trialId: 'trial-on-doubles',
    client: { kind: 'node', module: double('scripted-client-double') },
    endpoint: { url: 'double://user:secret@nowhere', options: settings.options },
    workload: { name: 'transfer', module: double('counting-workload-double'), parameters: {} },
    sessions: settings.sessions ?? 4,
    depth: settings.depth ?? 2,
    threads: settings.threads ?? 1,
    loop: settings.loop ?? { kind: 'closed' },
    timing: {
      warmupMs: 100,
      warmupMsMax: 100,
      windowMs: 500,
      drainMs: 2000,
      connectMs: 2000,
      operationMs: 1000,
      ...settings.timing,
    },
    ledgerPath: settings.ledgerPath ?? null,
  };
}

export interface TrialOutcome {
  readonly result: TrialResult;
  readonly events: readonly ClientEvent[];
  /** What the ledger says was applied: `session/ordinal`. */
  readonly applied: readonly string[];
}

/** Runs a trial in this process, with a ledger. */
export async function runOnDoubles(settings: TrialSettings, stop?: AbortSignal): Promise<TrialOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'load-client-'));
  const events: ClientEvent[] = [];
  try {
    const ledgerPath = join(folder, 'ledger');
    const plan = planOnDoubles({ ...settings, ledgerPath });
    const context = {
      emit: (event: ClientEvent) => events.push(event),
      stop: stop ?? new AbortController().signal,
    };
    const result = await runTrial(plan, context);
    const pairs = decodeLedgerDouble(await readFile(ledgerPath));
    return { result, events, applied: pairs.map(([session, ordinal]) => `${session}/${ordinal}`) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

export function allOf(counts: TrialResult['total']): number {
  return counts.applied + sumOf(counts.declined) + sumOf(counts.faults);
}
