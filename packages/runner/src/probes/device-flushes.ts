import { readFile, stat } from 'node:fs/promises';

/** Column of a block device's `stat` file that counts completed flush requests (Linux ≥ 5.5). */
const flushColumn = 15;

/** Reads how many flush requests the device under a directory has completed since it was attached. */
export type FlushCounter = () => Promise<number>;

/**
 * The flush counter of the block device under `directory`: evidence of durable commits that comes from
 * neither the database nor the load client. Null where the kernel does not count flushes for it (not
 * Linux, a file system without a block device of its own).
 */
export async function openFlushCounter(directory: string): Promise<FlushCounter | null> {
  const { dev } = await stat(directory);
  const statPath = `/sys/dev/block/${deviceMajor(dev)}:${deviceMinor(dev)}`;
  for (const path of [`${statPath}/../stat`, `${statPath}/stat`]) {
    const isWholeDisk = path === `${statPath}/stat`;
    if (!isWholeDisk && !(await exists(`${statPath}/partition`))) continue;
    if ((await readFlushes(path)) !== null) {
      return async () => {
        const flushes = await readFlushes(path);
        if (flushes === null) throw new Error(`${path} can no longer be read; was the disk detached?`);
        return flushes;
      };
    }
  }
  return null;
}

async function readFlushes(path: string): Promise<number | null> {
  if (!(await exists(path))) return null;
  const value = (await readFile(path, 'utf8')).trim().split(/\s+/)[flushColumn];
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
