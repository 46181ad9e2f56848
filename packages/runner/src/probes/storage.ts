import { fdatasyncSync, readFileSync, writeSync } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const blockBytes = 8192;
const probeMsMax = 300;
const probeSyncsMax = 5000;
/** A device counts what we do if its counter shows at least this share of what the probe did. */
const countedShareMin = 0.9;
/** Column of a block device's `stat` file that counts completed flush requests (Linux ≥ 5.5). */
const flushColumn = 15;
/** The column of sectors written, and the bytes of a sector there, whatever the device's are. */
const writtenColumn = 6;
const sectorBytes = 512;

/** The measured stable storage of a data directory. */
export interface StorageProbe {
  readonly directory: string;
  /** Syncs per second of one writer: write 8 KiB, fdatasync, repeat. */
  readonly fsyncPerSecond: number;
  /** The device's flush counter, or null where the device does not count every sync as a flush. */
  readonly flushes: DeviceCounter | null;
  /** Bytes that the device has written, for whomever; null where it does not count every block that is synced. */
  readonly written: DeviceCounter | null;
}

/** A count of the device under a directory since it was attached. Read at once, so that what comes later is not in it. */
export type DeviceCounter = () => number;

/** Probes each device that stores data once. */
export class StorageProbes {
  readonly #byDevice = new Map<number, StorageProbe | null>();

  /** The probe of the device of `directory`; null when the data are elsewhere, or the directory is not writable. */
  async of(directory: string | null): Promise<StorageProbe | null> {
    if (directory === null) return null;
    const device = await stat(directory).then(({ dev }) => dev, notHere);
    if (device === null) return null;
    // The directory is a database's own: it is written to only where it alone is on the device.
    const isBeside = await stat(dirname(directory)).then(({ dev }) => dev === device, notHere);
    const beside = isBeside === true ? dirname(directory) : directory;
    const known = this.#byDevice.get(device);
    if (known !== undefined) return known;
    const probe = await measureStorage(beside).catch(notHere);
    this.#byDevice.set(device, probe);
    return probe;
  }
}

/** A database reached by URL may store its data on another machine, or where only its own user may write. */
function notHere(): null {
  return null;
}

/**
 * Measures for 0.3 s how many synced writes per second one writer reaches in `directory`, and whether the device
 * counts them. Rejects when the directory cannot be written.
 */
export async function measureStorage(directory: string): Promise<StorageProbe> {
  const scratch = await mkdtemp(join(directory, 'fsync-probe-'));
  try {
    const [flushes, sectors] = [
      await openCounter(scratch, flushColumn),
      await openCounter(scratch, writtenColumn),
    ];
    const written = sectors === null ? null : () => sectors() * sectorBytes;
    const [flushesBefore, writtenBefore] = [flushes?.() ?? 0, written?.() ?? 0];
    const { syncs, elapsedMs } = await syncRepeatedly(join(scratch, 'probe'));
    const flushed = (flushes?.() ?? 0) - flushesBefore;
    const bytes = (written?.() ?? 0) - writtenBefore;
    return {
      directory,
      fsyncPerSecond: (syncs / elapsedMs) * 1000,
      flushes: flushed >= syncs * countedShareMin ? flushes : null,
      written: bytes >= syncs * blockBytes * countedShareMin ? written : null,
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
    // Synchronous calls: otherwise the thread pool would be measured with the disk.
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

/**
 * A counter of the block device under `directory`, by its column of the device's `stat` file: of flushes, evidence of durable
 * commits that is independent of the database and the load client. Null where the kernel does not count (not Linux, or a file
 * system without its own block device).
 */
async function openCounter(directory: string, column: number): Promise<DeviceCounter | null> {
  const { dev } = await stat(directory);
  const statPath = `/sys/dev/block/${deviceMajor(dev)}:${deviceMinor(dev)}`;
  for (const path of [`${statPath}/../stat`, `${statPath}/stat`]) {
    const isWholeDisk = path === `${statPath}/stat`;
    if (!isWholeDisk && !(await exists(`${statPath}/partition`))) continue;
    if ((await exists(path)) && readColumn(path, column) !== null) {
      return () => {
        const count = readColumn(path, column);
        if (count === null) throw new Error(`${path} no longer has column ${column}; was the disk detached?`);
        return count;
      };
    }
  }
  return null;
}

function readColumn(path: string, column: number): number | null {
  const value = readFileSync(path, 'utf8').trim().split(/\s+/)[column];
  return value === undefined ? null : Number(value);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

// The C library's gnu_dev_major and gnu_dev_minor, for device numbers below 2³².
function deviceMajor(dev: number): number {
  return (dev >>> 8) & 0xfff;
}

function deviceMinor(dev: number): number {
  return (dev & 0xff) | ((dev >>> 12) & 0xfff00);
}
