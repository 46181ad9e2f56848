import type {
  ClientCommand,
  ClientEvent,
  ClientResult,
  Sample,
  TrialPlan,
  TrialResult,
} from '@fair-bench/results/protocol';
import { driftOf } from './steady-state.ts';
import { WarmUp, type WarmedUp } from './warm-up.ts';

/** Decides when the warm-up of a trial is over, from the samples of all load clients that carry it. */
export class Leader {
  readonly #warmUp: WarmUp;
  readonly #heard: readonly Sample[][];
  #decided: WarmedUp | null = null;

  constructor(plan: TrialPlan, clients = 1) {
    this.#warmUp = new WarmUp(plan);
    this.#heard = Array.from({ length: clients }, () => []);
  }

  /** The window to order of all clients; null while the warm-up goes on, and once it was said. */
  hear(sample: Sample, client = 0): WarmedUp | null {
    this.#heard[client]?.push(sample);
    while (this.#decided === null && this.#heard.every(({ length }) => length > 0)) {
      this.#decided = this.#warmUp.decide(together(this.#heard.flatMap((samples) => samples.shift() ?? [])));
      if (this.#decided !== null) return this.#decided;
    }
    return null;
  }

  /** What the clients measured, as the trial's result. */
  resultOf(measured: ClientResult): TrialResult {
    const reached = this.#decided?.steady ?? false;
    return { ...measured, steadyState: { reached, windowDrift: driftOf(measured.appliedSlots) } };
  }
}

/** Leads a trial that one load client carries alone: call what this returns with each of its events. */
export function leadAlone(
  leader: Leader,
  order: (command: Exclude<ClientCommand, { type: 'plan' }>) => void,
): (event: ClientEvent) => void {
  return (event) => {
    if (event.type === 'ready') order({ type: 'go', atUs: 0 });
    const decided = event.type === 'sample' ? leader.hear(event) : null;
    if (decided !== null) order({ type: 'window', atUs: 0, windowMs: decided.windowMs });
  };
}

/** Clients take their samples at almost the same times. */
function together(samples: readonly Sample[]): Sample {
  const sum = { elapsedMs: 0, applied: 0, completed: 0, latencyMs: 0 };
  for (const { elapsedMs, applied, completed, latencyMs } of samples) {
    sum.elapsedMs += elapsedMs / samples.length;
    sum.applied += applied;
    sum.completed += completed;
    sum.latencyMs += latencyMs;
  }
  return sum;
}
