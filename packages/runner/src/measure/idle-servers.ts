import { availableParallelism } from 'node:os';
import { overRoles, type ProcessRef } from '@fair-bench/contract';
import { readCpuUs, suspend } from '@fair-bench/supervisor';
import { nothingProbed, type Probed, type TrialProbe, type TrialEvent } from '../probes/trial-probe.ts';

/** Servers of other targets may use this share of all processors in a trial without a warning. */
const shareMax = 0.01;

/**
 * The servers of the other targets: suspended from the warm-up to the end of the window, with a measurement of the
 * processor time that they use anyway. Dispose it to resume them however the trial ends.
 */
export class IdleServers implements TrialProbe, Disposable {
  readonly #processes: readonly ProcessRef[];
  #before: Reading | null = null;
  #share: number | null = null;
  #resume: (() => void) | null = null;

  constructor(processes: readonly ProcessRef[]) {
    this.#processes = processes;
  }

  hear(event: TrialEvent): void {
    if (event.type !== 'phase' || this.#processes.length === 0) return;
    const { phase } = event;
    if (phase === 'warmup') {
      this.#resume = suspend(this.#processes.map(({ pid }) => pid));
      this.#before = read(this.#processes);
    }
    if (phase !== 'drain' || this.#before === null) return;
    const { atMs, cpuUs } = read(this.#processes);
    const availableUs = (atMs - this.#before.atMs) * 1000 * availableParallelism();
    this.#share = Math.max(0, cpuUs - this.#before.cpuUs) / availableUs;
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#resume?.();
    this.#resume = null;
  }

  /** That processor time, and a warning above one hundredth. */
  end(): Probed {
    const share = this.#share;
    if (share === null) return nothingProbed;
    const percent = (share * 100).toFixed(1);
    const warning = {
      code: 'idle-servers',
      message: `servers of other targets took ${percent} % of the processors during warm-up and window`,
      remedy: 'measure the targets in separate runs, or find out what keeps an idle server busy',
    };
    return { parts: { idleServersShare: share }, warnings: share > shareMax ? [warning] : [] };
  }
}

interface Reading {
  readonly atMs: number;
  readonly cpuUs: number;
}

function read(processes: readonly ProcessRef[]): Reading {
  return { atMs: performance.now(), cpuUs: overRoles(readCpuUs(processes)) ?? 0 };
}
