import type { ClientCommand, ClientEvent, TrialPlan } from '@fair-bench/results/protocol';
import { sharedNowMs } from './clock.ts';
import type { Workers } from './workers.ts';
import { WarmUp, type WarmedUp as Decided } from './warm-up.ts';
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
export interface WarmedUp extends Decided {
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

/** The client decides by itself. */
function ownLead({ plan, workers, stop }: LeadInput): Lead {
  const { windowMs } = plan.timing;
  const warmUp = async (startMs: number): Promise<Decided> => {
    const warmingUp = new WarmUp(plan);
    const lastMs = startMs + longestMs(plan.timing);
    let decided: Decided | null = null;
    for (let nowMs = startMs; decided === null && nowMs < lastMs && !stop.aborted; nowMs = sharedNowMs()) {
      await until(Math.min(nowMs + warmingUp.sampleMs, lastMs), workers, stop);
      decided = warmingUp.decide(sharedNowMs() - startMs, workers.work());
    }
    return decided ?? { steady: false, windowMs };
  };
  return {
    start: async () => sharedNowMs(),
    warmUp: async (startMs) => {
      const decided = await warmUp(startMs);
      return { ...decided, windowFromMs: sharedNowMs() + workers.leadMs };
    },
  };
}

/**
 * One of several clients: orders say when to begin, when the window is and how long; it reports its work after each
 * slice.
 */
function orderedLead({ plan, workers, stop, orders, emit }: LeadInput): Lead {
  const { timing } = plan;
  const sliceMs = new WarmUp(plan).sampleMs;
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
      const lastMs = startMs + longestMs(timing);
      const ended = AbortSignal.any([stop, orders.heard('window')]);
      for (let slice = 1; startMs + slice * sliceMs <= lastMs && !ended.aborted; slice += 1) {
        await until(startMs + slice * sliceMs, workers, ended);
        if (!ended.aborted) emit({ type: 'slice', slice, ...workers.work() });
      }
      await until(lastMs + orderMsMax, workers, ended);
      const soonestMs = sharedNowMs() + workers.leadMs;
      if (stop.aborted) return { steady: false, windowMs: timing.windowMs, windowFromMs: soonestMs };
      if (orders.window === null)
        throw new Error(`no window was ordered within ${orderMsMax} ms of the warm-up`);
      const { atUs, steady, windowMs } = orders.window;
      return { steady, windowMs, windowFromMs: Math.max(atUs / 1000, soonestMs) };
    },
  };
}

function longestMs({ warmupMs, warmupMsMax }: TrialPlan['timing']): number {
  return Math.max(warmupMs, warmupMsMax);
}
