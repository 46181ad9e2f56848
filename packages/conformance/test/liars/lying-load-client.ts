// A load client that lies: runs the real one, and changes its plan or its result.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import {
  type ClientCommand,
  clientCommandSchema,
  type ClientEvent,
  clientEventSchema,
  type ClientResult,
  type Sample,
  type TrialPlan,
} from '@fair-bench/results';
import { loadClientArguments, mergeHistograms } from '@fair-bench/load-client';
import { falsifiedHistogram } from './falsified-histogram.ts';
import { endpointOfLiar } from './lying-client.ts';

interface LoadClientLie {
  /** Changes when the trial and its window begin, where that is ordered ahead: among several load clients. */
  readonly laterUs?: { readonly go: number; readonly window: number };
  readonly plan?: (plan: TrialPlan) => TrialPlan;
  /** Changes how long the window lasts that it is ordered to measure. */
  readonly orderedMs?: (windowMs: number) => number;
  readonly sample?: (sample: Sample) => Sample;
  readonly result?: (result: ClientResult) => ClientResult;
}

const factor = 2;
const nothing = mergeHistograms([]);

/** Its clock differs by this much from the one that its machine's agent compares with the runner's. */
function clockBehind(us: number): LoadClientLie {
  return {
    laterUs: { go: us, window: us },
    result: (result) => ({ ...result, timing: { ...result.timing, startUs: result.timing.startUs - us } }),
  };
}

/**
 * A slow clock: throughput rises, latency falls, and Little's law holds. The last replies come in its last slot, so that
 * no more than was done seems acknowledged at any moment before.
 */
function clockSlowed(slowness: number): LoadClientLie {
  return {
    orderedMs: (windowMs) => Math.round(windowMs * slowness),
    result: (result) => {
      const { timing, replySlots } = result;
      const windowMs = timing.windowMs / slowness;
      const slots = Math.floor(windowMs / replySlots.slotMs);
      const kept = replySlots.counts?.slice(0, slots) ?? [];
      return {
        ...withLatencies(result, 1 / slowness),
        timing: { ...timing, windowMs },
        replySlots: {
          ...replySlots,
          slots,
          empty: kept.filter((count) => count === 0).length,
          counts: kept,
        },
      };
    },
  };
}

export const lies: Readonly<Record<string, LoadClientLie>> = {
  none: {},
  'halves-latency': { result: (result) => withLatencies(result, 1 / factor) },
  // Little's law uses the mean; people read the percentiles.
  'halves-percentiles': {
    result: (result) => ({
      ...result,
      latency: { ...result.latency, applied: falsifiedHistogram(result.latency.applied, 1 / factor) },
    }),
  },
  'slows-its-clock': clockSlowed(1.06),
  'slows-its-clock-more': clockSlowed(1.1),
  'slows-its-clock-among-others': clockSlowed(1.25),
  // Work of the warm-up is real too. Latencies shrink as the count grows, so that Little's law holds.
  'counts-its-warm-up': { result: (result) => withWarmUp(result, 1) },
  'counts-the-end-of-its-warm-up': { result: (result) => withWarmUp(result, 0.2) },
  // It claims that nothing else fell due.
  'hides-what-it-never-started': {
    result: (result) => ({
      ...result,
      openLoop: result.openLoop && { ...result.openLoop, neverStarted: 0, unfinished: nothing },
    }),
  },
  'halves-what-waited': {
    result: (result) => ({
      ...result,
      openLoop: result.openLoop && {
        ...result.openLoop,
        unfinished: falsifiedHistogram(result.openLoop.unfinished, 1 / factor),
      },
    }),
  },
  // It seems so fast in its warm-up that the shortest window is long enough.
  'keeps-its-window-short': {
    sample: (sample) => ({
      ...sample,
      applied: 1000 * sample.applied,
      completed: 1000 * sample.completed,
    }),
  },
  'doubles-depth': {
    plan: (plan) => ({ ...plan, depth: plan.depth * factor }),
  },
  // As on a machine that is too slow.
  'begins-its-window-late': { laterUs: { go: 0, window: 1_000_000 } },
  'has-a-clock-behind': clockBehind(200_000),
  'has-a-clock-ahead': clockBehind(-200_000),
  'leaves-canaries-out': { plan: (plan) => ({ ...plan, canaries: [] }) },
  'sends-twice': throughLiar('writes-twice.ts'),
  'acknowledges-early': throughLiar('acknowledges-early.ts'),
  'doubles-depth-and-hides-it': {
    plan: (plan) => ({ ...plan, depth: plan.depth * factor }),
    result: (result) => ({ ...result, outstandingPeak: Math.floor(result.outstandingPeak / factor) }),
  },
};

/** Every latency times the same, so that they agree with one another. */
function withLatencies(result: ClientResult, times: number): ClientResult {
  const falsify = <Of extends Pick<ClientResult, 'latency'>>(one: Of): Of => ({
    ...one,
    latency: { ...one.latency, applied: falsifiedHistogram(one.latency.applied, times) },
  });
  return {
    ...falsify(result),
    operations: result.operations.map(falsify),
    latencyMsMeanWindow: result.latencyMsMeanWindow * times,
  };
}

/** Counts a share of the warm-up's operations as the window's. */
function withWarmUp(result: ClientResult, share: number): ClientResult {
  const drained = result.latency.applied.count - result.window.applied;
  const inWarmUp = result.total.applied - drained - result.window.applied;
  const gain = 1 + (share * inWarmUp) / result.window.applied;
  const operations = result.operations.map((operation) => widened(operation, gain));
  const latencyMsMeanWindow = result.latencyMsMeanWindow / gain;
  return { ...widened(result, gain), operations, latencyMsMeanWindow };
}

interface Counted {
  readonly window: { readonly applied: number };
  readonly total: { readonly applied: number };
  readonly latency: ClientResult['latency'];
}

function widened<Of extends Counted>(counted: Of, gain: number) {
  const { window, total, latency } = counted;
  const drained = latency.applied.count - window.applied;
  const claimed = Math.min(Math.round(window.applied * gain), total.applied - drained);
  const applied = falsifiedHistogram(latency.applied, 1 / gain, claimed + drained);
  return {
    ...counted,
    window: { ...counted.window, applied: claimed },
    latency: { ...latency, applied },
  };
}

async function main(lie: LoadClientLie): Promise<void> {
  const child = spawn(process.execPath, [...loadClientArguments], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => process.stdin.destroy());
  const exited = new Promise<number>((resolve) => {
    child.on('close', (code) => resolve(code ?? 1));
  });
  void pipeline(
    createInterface({ input: process.stdin }),
    eachLine((line) => changedCommand(line, lie)),
    child.stdin,
  ).catch(() => child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    process.stdout.write(changedEvent(line, lie));
  }
  process.exitCode = await exited;
  process.stdin.destroy();
}

function eachLine(change: (line: string) => string) {
  return async function* changed(lines: AsyncIterable<string>) {
    for await (const line of lines) yield change(line);
  };
}

function changedCommand(line: string, lie: LoadClientLie): string {
  return `${JSON.stringify(falsified(clientCommandSchema.parse(JSON.parse(line)), lie))}\n`;
}

function falsified(command: ClientCommand, { plan, laterUs, orderedMs }: LoadClientLie): ClientCommand {
  if (command.type === 'plan') return { ...command, plan: plan?.(command.plan) ?? command.plan };
  if (command.type === 'stop') return command;
  const atUs = command.atUs + (laterUs?.[command.type] ?? 0);
  if (command.type === 'go') return { ...command, atUs };
  return { ...command, atUs, windowMs: orderedMs?.(command.windowMs) ?? command.windowMs };
}

/** Its sessions are a liar's. */
function throughLiar(file: string): LoadClientLie {
  const module = new URL(file, import.meta.url).href;
  return {
    plan: ({ client, endpoint, ...plan }) => {
      if (client.kind !== 'node') throw new Error('only the Node load client sends by a module');
      const toLiar = endpointOfLiar(endpoint, client.module, 'told', null);
      return { ...plan, client: { kind: 'node', module }, endpoint: toLiar };
    },
  };
}

function changedEvent(line: string, lie: LoadClientLie): string {
  const event: ClientEvent = clientEventSchema.parse(JSON.parse(line));
  return `${JSON.stringify(falsifiedEvent(event, lie))}\n`;
}

function falsifiedEvent(event: ClientEvent, { result, sample }: LoadClientLie): ClientEvent {
  if (event.type === 'result') return { ...event, result: result?.(event.result) ?? event.result };
  if (event.type === 'sample') return { ...event, ...sample?.(event) };
  return event;
}

if (import.meta.main) {
  const lie = lies[process.argv[2] ?? ''];
  if (lie === undefined) throw new Error(`no such lie; there are ${Object.keys(lies).join(', ')}`);
  await main(lie);
}
