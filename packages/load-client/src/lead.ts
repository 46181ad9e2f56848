import type { ClientCommand, ClientEvent, TrialPlan } from '@fair-bench/results/protocol';
import { sharedNowMs } from './clock.ts';
import type { Workers } from './workers.ts';
import { isSteady, steadySlices, warmupSliceMs } from './steady-state.ts';
import { stoppedTooSoon, until } from './waiting.ts';

type Go = Extract<ClientCommand, { type: 'go' }>;
type Window = Extract<ClientCommand, { type: 'window' }>;

/** The longest wait for the order of the window after the longest warm-up. */
const orderMsMax = 5000;

/** The orders to a client with a share of a trial; of each kind the first one counts. */
export class Orders {
  readonly #heard = { go: new AbortController(), window: new AbortController() };
  go: Go | null = null;
  window: Window | null = null;

  hear(order: Go | Window): void {
    if (order.type === 'go') this.go ??= order;
    else this.window ??= order;
    this.#heard[order.type].abort();
  }

  /** Aborted when it was ordered. */
  heard(type: 'go' | 'window'): AbortSignal {
    return this.#heard[type].signal;
  }
}

/** How a warm-up ended; the window begins at a time of the shared clock. */
export interface WarmedUp {
  readonly steady: boolean;
  readonly windowFromMs: number;
}

/** Decides when the first operation and the window of a trial are due. */
export interface Lead {
  /** Resolves just before the first operation is due, with its time on the shared clock. */
  start(): Promise<number>;
  warmUp(startMs: number): Promise<WarmedUp>;
}

interface LeadInput {
  readonly plan: TrialPlan;
  readonly workers: Workers;
  readonly stop: AbortSignal;
  readonly orders: Orders;
  readonly emit: (event: ClientEvent) => void;
}

export function leadOf(input: LeadInput): Lead {
  return input.plan.share === null ? ownLead(input) : orderedLead(input);
}

/** The client decides: at least `warmupMs`, longer while throughput is not steady, at most `warmupMsMax`. */
function ownLead({ plan: { timing }, workers, stop }: LeadInput): Lead {
  const warmUp = async (startMs: number): Promise<boolean> => {
    const throughputs: number[] = [];
    let sliceStartMs = startMs;
    let sliceStartCount = 0;
    const lastMs = startMs + longestMs(timing);
    const sliceMs = warmupSliceMs(timing.warmupMs);
    while (sliceStartMs < lastMs && !stop.aborted) {
      await until(Math.min(sliceStartMs + sliceMs, lastMs), workers, stop);
      const nowMs = sharedNowMs();
      const { applied } = workers.counts();
      throughputs.push((applied - sliceStartCount) / (nowMs - sliceStartMs));
      if (throughputs.length > steadySlices) throughputs.shift();
      sliceStartMs = nowMs;
      sliceStartCount = applied;
      if (nowMs >= startMs + timing.warmupMs && isSteady(throughputs)) return true;
    }
    return false;
  };
  return {
    start: async () => sharedNowMs(),
    warmUp: async (startMs) => {
      const steady = await warmUp(startMs);
      return { steady, windowFromMs: sharedNowMs() + workers.leadMs };
    },
  };
}

/**
 * One of several clients: orders say when to begin and when the window is; it reports the applied operations of each
 * slice.
 */
function orderedLead({ plan: { timing }, workers, stop, orders, emit }: LeadInput): Lead {
  return {
    start: async () => {
      await until(sharedNowMs() + timing.connectMs, workers, AbortSignal.any([stop, orders.heard('go')]));
      if (stop.aborted) throw stoppedTooSoon();
      if (orders.go === null) throw new Error(`no start order came within ${timing.connectMs} ms of ready`);
      const startMs = Math.max(orders.go.atUs / 1000, sharedNowMs());
      await until(startMs - workers.leadMs, workers);
      return startMs;
    },
    warmUp: async (startMs) => {
      const sliceMs = warmupSliceMs(timing.warmupMs);
      const lastMs = startMs + longestMs(timing);
      const ended = AbortSignal.any([stop, orders.heard('window')]);
      for (let slice = 1; startMs + slice * sliceMs <= lastMs && !ended.aborted; slice += 1) {
        await until(startMs + slice * sliceMs, workers, ended);
        if (!ended.aborted) emit({ type: 'slice', slice, applied: workers.counts().applied });
      }
      await until(lastMs + orderMsMax, workers, ended);
      const soonestMs = sharedNowMs() + workers.leadMs;
      if (stop.aborted) return { steady: false, windowFromMs: soonestMs };
      if (orders.window === null)
        throw new Error(`no window was ordered within ${orderMsMax} ms of the warm-up`);
      const { atUs, steady } = orders.window;
      return { steady, windowFromMs: Math.max(atUs / 1000, soonestMs) };
    },
  };
}

function longestMs({ warmupMs, warmupMsMax }: TrialPlan['timing']): number {
  return Math.max(warmupMs, warmupMsMax);
}
