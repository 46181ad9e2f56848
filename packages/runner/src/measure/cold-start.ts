import { fileURLToPath } from 'node:url';
import { type Deployment, type Facts, isInLoadClient } from '@fair-bench/contract';
import type { Cell, PassedTrial, TrialResult } from '@fair-bench/results';
import { type CachedFiles, dropPageCache } from '@fair-bench/supervisor';
import type { TrialEvents } from './load-client-process.ts';

/** Why a cell cannot begin its trials cold; null if it can, and without `--cold`. */
export function coldLack(
  { cold }: Cell,
  facts: Facts,
): { readonly reason: string; readonly remedy: string } | null {
  if (cold !== true) return null;
  if (!isInLoadClient(facts)) {
    const reason =
      '--cold opens an engine in the load client anew; this is a server, which keeps its own cache';
    return { reason, remedy: 'leave this target out, or leave out --cold' };
  }
  const { directory, fileSystem } = facts.storage;
  if (fileSystem !== 'tmpfs' && fileSystem !== 'ramfs') return null;
  const reason = `the files of ${facts.system.name} in ${directory} are in memory (${fileSystem}): they are never cold`;
  return { reason, remedy: 'name a folder on a disk by --data-dir' };
}

/** A trial whose engine begins cold: its files leave the page cache before the load client opens it. */
export class ColdStart {
  #files: CachedFiles | null = null;
  #openMs: number | null = null;

  /** Call it when the data is loaded and before the load client has its plan. */
  async begin({ endpoint }: Pick<Deployment, 'endpoint'>, signal: AbortSignal): Promise<void> {
    this.#files = await dropPageCache(fileURLToPath(endpoint.url), signal);
  }

  /** Call it with each event of the load client. */
  hear(event: Parameters<TrialEvents>[0]): void {
    if (event.type === 'ready') this.#openMs = event.openMs ?? null;
  }

  read({ series, timing }: Pick<TrialResult, 'series' | 'timing'>): PassedTrial['cold'] {
    if (this.#files === null) return undefined;
    const [first] = series;
    const isWhole = timing.warmupMs + timing.windowMs >= 1000;
    const firstSecond =
      first === undefined || !isWhole ? null : { applied: first.applied, latencyMsMean: first.latencyMsMean };
    return { ...this.#files, openMs: this.#openMs, firstSecond };
  }
}
