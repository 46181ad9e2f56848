import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { toSharedMs } from '../clock.ts';
import { type AlarmState, createAlarmState } from './alarm-state.ts';

/**
 * Calls at a time of this thread's clock. A timer of Node.js is up to a millisecond late, as much as an operation takes; a
 * thread that sleeps on a futex is not.
 */
export class Alarm {
  readonly #thread: Worker;
  readonly #state: AlarmState;

  private constructor(thread: Worker, state: AlarmState) {
    this.#thread = thread;
    this.#state = state;
  }

  static async open(): Promise<Alarm> {
    const shared = createAlarmState();
    const thread = new Worker(new URL('./alarm-thread.ts', import.meta.url), { workerData: shared.memory });
    // The trial does not wait for it.
    thread.unref();
    await once(thread, 'online');
    return new Alarm(thread, shared);
  }

  /** Once for each `set`. */
  onRing(ring: () => void): void {
    this.#thread.on('message', ring);
  }

  /** Instead of the time before. */
  set(atMs: number): void {
    const { sets, atSharedMs } = this.#state;
    atSharedMs[0] = toSharedMs(atMs);
    Atomics.add(sets, 0, 1);
    Atomics.notify(sets, 0);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
