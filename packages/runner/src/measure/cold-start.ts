import { fileURLToPath } from 'node:url';
import { type Deployment, type Facts, isInLoadClient } from '@fair-bench/contract';
import type { Cell } from '@fair-bench/results';
import { type CachedFiles, dropPageCache } from '@fair-bench/supervisor';
import {
  type EndedTrial,
  nothingProbed,
  type Probed,
  type TrialProbe,
  type TrialEvent,
} from '../probes/trial-probe.ts';

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
export class ColdStart implements TrialProbe {
  #files: CachedFiles | null = null;
  #openMs: number | null = null;

  async begin({ endpoint }: Pick<Deployment, 'endpoint'>, signal: AbortSignal): Promise<void> {
    this.#files = await dropPageCache(fileURLToPath(endpoint.url), signal);
  }

  hear(event: TrialEvent): void {
    if (event.type === 'ready') this.#openMs = event.openMs ?? null;
  }

  end({ result: { series, timing } }: EndedTrial): Probed {
    if (this.#files === null) return nothingProbed;
    const [first] = series;
    const isWhole = timing.warmupMs + timing.windowMs >= 1000;
    const firstSecond =
      first === undefined || !isWhole ? null : { applied: first.applied, latencyMsMean: first.latencyMsMean };
    return { parts: { cold: { ...this.#files, openMs: this.#openMs, firstSecond } } };
  }
}
