import type { ClientEvent, OperationCounts, Phase } from '@fair-bench/results/protocol';
import { sharedNowMs } from './clock.ts';
import type { Workers } from './workers.ts';

/** Reports phases and, once a second, progress; also samples the process's memory. */
export class Progress {
  readonly #workers: Workers;
  readonly #emit: (event: ClientEvent) => void;
  #phase: Phase = 'warmup';
  #phaseStartMs = 0;
  #before: OperationCounts = { applied: 0, declined: 0, faults: 0 };
  #timer: NodeJS.Timeout | undefined;
  #rssBytesMax = 0;

  constructor(workers: Workers, emit: (event: ClientEvent) => void) {
    this.#workers = workers;
    this.#emit = emit;
  }

  enter(phase: Phase): void {
    this.end();
    this.#phase = phase;
    this.#phaseStartMs = sharedNowMs();
    this.#before = this.#workers.counts();
    this.#sampleMemory();
    this.#emit({ type: 'phase', phase });
    this.#timer = setInterval(() => this.#tick(), 1000);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  rssBytesMax(): number {
    this.#sampleMemory();
    return this.#rssBytesMax;
  }

  #tick(): void {
    this.#sampleMemory();
    const counts = this.#workers.counts();
    this.#emit({
      type: 'progress',
      phase: this.#phase,
      elapsedMs: sharedNowMs() - this.#phaseStartMs,
      applied: counts.applied - this.#before.applied,
      declined: counts.declined - this.#before.declined,
      faults: counts.faults - this.#before.faults,
    });
  }

  #sampleMemory(): void {
    this.#rssBytesMax = Math.max(this.#rssBytesMax, process.memoryUsage.rss());
  }
}
