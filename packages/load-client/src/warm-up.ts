import { type Sample, sampleMsOf, type TrialPlan } from '@fair-bench/results/protocol';
import { isSteady, steadySlices } from './steady-state.ts';

/** A window lasts at least this many mean latencies: then its edges blur throughput by little. */
const windowLatencies = 10;
/** A warm-up that does not become steady ends after twice its minimum, or after this many slices. */
const slicesMax = 12;

/** How a warm-up ended, and how long the window after it is to be. */
export interface WarmedUp {
  readonly steady: boolean;
  readonly windowMs: number;
}

/** Decides when a warm-up is over and how long its window lasts, from the mean latency that the warm-up shows. */
export class WarmUp {
  readonly #plan: Pick<TrialPlan, 'timing' | 'loop' | 'sessions' | 'depth' | 'batch'>;
  readonly #samples: Sample[] = [{ elapsedMs: 0, applied: 0, completed: 0, latencyMs: 0 }];

  constructor(plan: Pick<TrialPlan, 'timing' | 'loop' | 'sessions' | 'depth' | 'batch'>) {
    this.#plan = plan;
  }

  /** Null while the warm-up goes on. */
  decide(sample: Sample): WarmedUp | null {
    this.#samples.push(sample);
    const { elapsedMs } = sample;
    const { warmupMs, warmupMsMax, windowMs, windowMsMax, operationMs } = this.#plan.timing;
    // A server that answers nothing shows no latency, and gets no longer window for it.
    if (elapsedMs - this.#answeredMs() >= operationMs) return { steady: false, windowMs };
    const latency = this.#latency();
    const sampleMs = sampleMsOf(this.#plan.timing);
    const sliceMs = Math.max(
      sampleMs,
      Math.min(latency?.longestMs ?? Infinity, windowMsMax / windowLatencies),
    );
    const samples = Math.ceil(sliceMs / sampleMs);
    const steady = elapsedMs >= warmupMs && isSteady(this.#throughputs(samples));
    const lastMs = Math.min(warmupMsMax, Math.max(2 * warmupMs, slicesMax * samples * sampleMs));
    if (!steady && elapsedMs < lastMs) return null;
    return { steady, windowMs: latency === null ? windowMs : this.#windowMs(latency) };
  }

  /** When an operation completed last, as far as samples show. */
  #answeredMs(): number {
    const last = this.#samples.at(-1)?.completed ?? 0;
    return this.#samples.find(({ completed }) => completed === last)?.elapsedMs ?? 0;
  }

  /**
   * The mean latency in the second half of the warm-up so far; null where nothing completed in it. Operations that
   * are still outstanding are missing from the mean; in a closed loop Little's law counts them too.
   */
  #latency(): { readonly meanMs: number; readonly longestMs: number } | null {
    const last = this.#samples.at(-1);
    const first = this.#samples.findLast(({ elapsedMs }) => elapsedMs <= (last?.elapsedMs ?? 0) / 2);
    if (last === undefined || first === undefined || last.completed === first.completed) return null;
    const { loop, sessions, depth, batch } = this.#plan;
    const completed = last.completed - first.completed;
    const meanMs = (last.latencyMs - first.latencyMs) / completed;
    if (loop.kind === 'open') return { meanMs, longestMs: meanMs };
    const byLawMs = (sessions * depth * batch * (last.elapsedMs - first.elapsedMs)) / completed;
    return { meanMs, longestMs: Math.max(meanMs, byLawMs) };
  }

  /** Of the last eight slices of so many samples; fewer while there are fewer. */
  #throughputs(samples: number): number[] {
    const ends = this.#samples.toReversed().filter((_, index) => index % samples === 0);
    return ends
      .slice(0, steadySlices)
      .flatMap((end, index) => {
        const begin = ends[index + 1];
        return begin === undefined ? [] : (end.applied - begin.applied) / (end.elapsedMs - begin.elapsedMs);
      })
      .toReversed();
  }

  /**
   * A lengthened window has a whole number of latencies: where replies come in waves, as from a target of constant
   * latency, it cuts none of them in two.
   */
  #windowMs({ meanMs, longestMs }: { readonly meanMs: number; readonly longestMs: number }): number {
    const { windowMs, windowMsMax } = this.#plan.timing;
    const neededMs = windowLatencies * longestMs;
    if (neededMs <= windowMs) return windowMs;
    const waveMs = Math.max(1, meanMs);
    return Math.min(windowMsMax, Math.ceil(Math.ceil(neededMs / waveMs) * waveMs));
  }
}
