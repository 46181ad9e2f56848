import { mkdtemp, open, rm } from 'node:fs/promises';
import { fdatasyncSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type FlushCounter, openFlushCounter } from './device-flushes.ts';

const blockBytes = 8192;
const probeMsMax = 300;
const probeSyncsMax = 5000;
/** A device counts our flushes when at least this share of the probe's syncs shows in its counter. */
const flushShareMin = 0.9;

/** What stable storage under a data directory can do, measured. */
export interface StorageRuler {
  readonly directory: string;
  /** Syncs per second of one writer: write 8 KiB, fdatasync, again. */
  readonly fsyncPerSecond: number;
  /** The device's flush counter, or null where the device does not count every sync as a flush. */
  readonly flushes: FlushCounter | null;
}

/**
 * Measures how many synced writes per second one writer reaches in `directory`, and whether the device
 * counts them, by doing them for 0.3 s. Rejects when the directory cannot be written.
 */
export async function measureStorage(directory: string): Promise<StorageRuler> {
  const scratch = await mkdtemp(join(directory, 'fsync-probe-'));
  try {
    const flushes = await openFlushCounter(scratch);
    const flushesBefore = flushes === null ? 0 : await flushes();
    const { syncs, elapsedMs } = await syncRepeatedly(join(scratch, 'probe'));
    const counted = flushes === null ? 0 : (await flushes()) - flushesBefore;
    return {
      directory,
      fsyncPerSecond: (syncs / elapsedMs) * 1000,
      flushes: counted >= syncs * flushShareMin ? flushes : null,
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function syncRepeatedly(path: string): Promise<{ syncs: number; elapsedMs: number }> {
  const file = await open(path, 'w');
  try {
    const block = Buffer.alloc(blockBytes, 1);
    const startMs = performance.now();
    let syncs = 0;
    // Synchronous calls: a thread pool's hand-over would be measured with the disk.
    while (performance.now() - startMs < probeMsMax && syncs < probeSyncsMax) {
      writeSync(file.fd, block, 0, blockBytes, (syncs % 64) * blockBytes);
      fdatasyncSync(file.fd);
      syncs += 1;
    }
    return { syncs, elapsedMs: performance.now() - startMs };
  } finally {
    await file.close();
  }
}
