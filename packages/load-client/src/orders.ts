import {
  type ClientCommand,
  type ClientEvent,
  sampleMsOf,
  type TrialPlan,
} from '@fair-bench/results/protocol';
import { sharedNowMs } from './clock.ts';
import type { Workers } from './workers.ts';
import { stoppedTooSoon, until } from './waiting.ts';

type Order = Exclude<ClientCommand, { type: 'plan' }>;
type Heard = { readonly [Type in Order['type']]?: Extract<Order, { type: Type }> };

/** The longest wait for the order of the window after the longest warm-up. */
const orderMsMax = 5000;

/** What the leader of the trial orders; of each kind the first one counts. */
export class Orders {
  readonly #due = { go: new AbortController(), window: new AbortController(), stop: new AbortController() };
  #heard: Heard = {};

  hear(order: Order): void {
    this.#heard = { [order.type]: order, ...this.#heard };
    this.#due[order.type].abort();
  }

  get heard(): Heard {
    return this.#heard;
  }

  /** Aborted when one of these is heard. */
  signal(...types: readonly Order['type'][]): AbortSignal {
    return AbortSignal.any(types.map((type) => this.#due[type].signal));
  }
}

interface Ordered {
  readonly plan: TrialPlan;
  readonly workers: Workers;
  readonly orders: Orders;
}

/** Waits for `go`; resolves just before the first operation is due, with its time on the shared clock. */
export async function awaitGo({ plan, workers, orders }: Ordered): Promise<number> {
  const { connectMs } = plan.timing;
  await until(sharedNowMs() + connectMs, workers, orders.signal('stop', 'go'));
  const { stop, go } = orders.heard;
  if (stop !== undefined) throw stoppedTooSoon();
  if (go === undefined) throw new Error(`no start order came within ${connectMs} ms of ready`);
  const startMs = Math.max(go.atUs / 1000, sharedNowMs());
  await until(startMs - workers.leadMs, workers);
  return startMs;
}

/** Reports samples of the warm-up until the window is ordered; resolves with the window, on the shared clock. */
export async function awaitWindow(
  { plan, workers, orders }: Ordered,
  startMs: number,
  emit: (event: ClientEvent) => void,
): Promise<{ readonly fromMs: number; readonly windowMs: number }> {
  const { timing } = plan;
  const lastMs = startMs + timing.warmupMsMax + orderMsMax;
  const ended = orders.signal('stop', 'window');
  for (let nowMs = sharedNowMs(); nowMs < lastMs && !ended.aborted; nowMs = sharedNowMs()) {
    await until(Math.max(nowMs, startMs) + sampleMsOf(timing), workers, ended);
    if (!ended.aborted) emit({ type: 'sample', elapsedMs: sharedNowMs() - startMs, ...workers.work() });
  }
  const soonestMs = sharedNowMs() + workers.leadMs;
  const { stop, window } = orders.heard;
  if (stop !== undefined) return { fromMs: soonestMs, windowMs: 0 };
  if (window === undefined)
    throw new Error(`no window was ordered within ${orderMsMax} ms of the longest warm-up`);
  return { fromMs: Math.max(window.atUs / 1000, soonestMs), windowMs: window.windowMs };
}
