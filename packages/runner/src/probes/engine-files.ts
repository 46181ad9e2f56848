import { mkdir, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Deployment, messageOf } from '@fair-bench/contract';
import type { PassedTrial, TrialResult } from '@fair-bench/results';
import { writtenToDisk } from '@fair-bench/supervisor';
import { dataBytesOf, type Workload } from '@fair-bench/workload';
import { nothingProbed, type TrialProbe } from './trial-probe.ts';

type EngineFiles = NonNullable<PassedTrial['engineFiles']>;

const compactMsMax = 60_000;

/**
 * The room that the files of an engine take on its disk, before and after its own compaction, and what was written to them. Of a
 * server nothing: its files are not seen. Nor of a trial that did not pass.
 */
export const engineFiles: TrialProbe = {
  async end({ result, workload, deployment: { endpoint, compact }, isAudited, windowWrittenBytes }) {
    if (compact === undefined || !isAudited) return nothingProbed;
    const directory = fileURLToPath(endpoint.url);
    const { bytes: filesBytes } = await writtenToDisk(directory);
    const compaction = await compacted(directory, compact);
    const written = dataWritten(workload, result);
    return { parts: { engineFiles: { windowWrittenBytes, ...written, filesBytes, compaction } } };
  },
};

/** The data that applied operations wrote in the window, and that the files have at the end; null where arguments decide it. */
function dataWritten(
  workload: Workload,
  { operations }: Pick<TrialResult, 'operations'>,
): Pick<EngineFiles, 'windowDataBytes' | 'dataBytes'> {
  const { seeded, operations: bytes } = dataBytesOf(workload);
  let [windowDataBytes, dataBytes] = [0, seeded];
  for (const [number, { window, total }] of operations.entries()) {
    const each = bytes[number] ?? null;
    if (total.applied === 0) continue;
    if (each === null) return { windowDataBytes: null, dataBytes: null };
    windowDataBytes += window.applied * each.written;
    dataBytes += total.applied * each.grown;
  }
  return { windowDataBytes, dataBytes };
}

async function compacted(
  directory: string,
  compact: NonNullable<Deployment['compact']>,
): Promise<EngineFiles['compaction']> {
  // Beside it, so that it is on the same disk.
  const copy = `${directory}-compact`;
  const given = new AbortController();
  try {
    await mkdir(copy, { recursive: true });
    const late = sleep(compactMsMax, null, { signal: given.signal, ref: false }).catch(() => null);
    const has = await Promise.race([compact(copy), late]);
    if (has === null) return { status: 'failed', reason: `not done within ${compactMsMax / 1000} s` };
    if (!has) return { status: 'none' };
    const copied = await writtenToDisk(copy);
    const { bytes } = copied.paths.length > 0 ? copied : await writtenToDisk(directory);
    return { status: 'done', filesBytes: bytes };
  } catch (error) {
    return { status: 'failed', reason: messageOf(error) };
  } finally {
    given.abort();
    await rm(copy, { recursive: true, force: true });
  }
}
