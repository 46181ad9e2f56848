import { fileURLToPath } from 'node:url';
import { type Facts, isInLoadClient, messageOf } from '@fair-bench/contract';
import type { Cell } from '@fair-bench/results';
import { type CachedFiles, dropPageCache, MemoryGroup } from '@fair-bench/supervisor';
import { nothingProbed, type TrialProbe } from './trial-probe.ts';

const mib = 2 ** 20;

/** A control group for the load client of each cell with `--memory`. Dispose of it when no load client is left. */
export class CellMemory implements Disposable {
  readonly #groups = new Map<string, MemoryGroup>();
  #problem: string | null = null;

  constructor(cells: readonly Cell[]) {
    try {
      for (const { id, memoryMb } of cells) {
        if (memoryMb !== undefined) this.#groups.set(id, MemoryGroup.withLimit(memoryMb * mib));
      }
    } catch (error) {
      this.#problem = messageOf(error);
    }
  }

  /** Why the memory of a cell cannot be limited; null if it can. */
  lack({ memoryMb }: Cell, facts: Facts): { readonly reason: string; readonly remedy: string } | null {
    if (memoryMb === undefined) return null;
    if (!isInLoadClient(facts)) {
      const reason = '--memory limits the load client with an engine in its process; this is a server';
      return { reason, remedy: 'limit its memory where it runs, and leave out --memory' };
    }
    if (this.#problem === null) return null;
    const reason = `--memory needs a control group of Linux: ${this.#problem}`;
    return {
      reason,
      remedy: 'run as root, or where the control group of this process is delegated to its user',
    };
  }

  /** The load client in the cell's group. */
  around<Command extends { readonly command: string; readonly arguments: readonly string[] }>(
    { id }: Cell,
    run: Command,
  ): Command {
    return this.#groups.get(id)?.around(run) ?? run;
  }

  /**
   * Of the cell's next trial, within `--memory`: none without a limit. The record has no limit if the load client was not seen in the
   * group; a trial for which the kernel has killed has the limit in its reason.
   */
  ofTrial({ id, memoryMb }: Cell): readonly TrialProbe[] {
    const group = this.#groups.get(id);
    if (group === undefined) return [];
    const killsBefore = group.kills;
    let files: CachedFiles | null = null;
    let isInside = false;
    const probe: TrialProbe = {
      // What others have read would be in memory for nothing.
      async begin({ endpoint }, signal) {
        files = await dropPageCache(fileURLToPath(endpoint.url), signal);
        group.restart();
      },
      hear(event, pid) {
        if (event.type !== 'phase' || event.phase !== 'warmup') return;
        isInside = pid !== undefined && group.has(pid);
      },
      end() {
        if (files === null) return nothingProbed;
        const { limitBytes, peakBytes } = group.read();
        return { parts: { memory: { limitBytes: isInside ? limitBytes : null, peakBytes, ...files } } };
      },
      reasonOf: (failure) =>
        group.kills > killsBefore
          ? `${failure}: the kernel ended it, because it needs more than ${memoryMb} MiB; raise --memory`
          : failure,
    };
    return [probe];
  }

  [Symbol.dispose](): void {
    for (const group of this.#groups.values()) group[Symbol.dispose]();
    this.#groups.clear();
  }
}
