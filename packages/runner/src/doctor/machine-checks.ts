import { statfs } from 'node:fs/promises';
import { availableParallelism, cpus, freemem, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DoctorCheck } from './doctor-report.ts';
import { fileSystemOf, readTicks } from '@fair-bench/supervisor';
import { z } from 'zod';
import { messageOf, isVolatile } from '@fair-bench/contract';
import { measureStorage } from '../probes/storage.ts';
import { lacking, needed, ok, textOf } from './checks.ts';

const mib = 2 ** 20;
const gib = 2 ** 30;
/** One core each for the load client, an application server and a database, and one for the rest. */
const coresMin = 4;
const memoryBytesMin = 2 * gib;
const freeDiskBytesMin = 2 * gib;
/** Sockets of 50 sessions on each side, a pool of 50, and the processes' own files, with a large reserve. */
const openFilesMin = 4_096;
const watchMs = 1_000;
const stealShareMax = 0.01;
const busyShareMax = 0.2;
/** More synced writes per second than any device that survives a power cut can do with one writer. */
const plausibleFsyncMax = 100_000;

/**
 * Checks the machine: how much its numbers can be trusted.
 * @param openDataDirectory creates a folder where a run would store its data; rejects if there is none.
 */
export async function checkMachine(openDataDirectory: () => Promise<string>): Promise<DoctorCheck[]> {
  return [
    checkCores(),
    await checkGovernor(),
    await checkNeighbours(),
    checkMemory(),
    checkOpenFiles(),
    ...(await checkDisk(openDataDirectory)),
  ];
}

function checkCores(): DoctorCheck {
  const cores = availableParallelism();
  const found = `${cores} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`;
  if (cores >= coresMin) return ok('cores', found);
  return lacking(
    'cores',
    `${found}: load client, application server and database share them`,
    `compare on ${coresMin} cores or more; here, read the CPU per transaction beside the throughput`,
  );
}

async function checkGovernor(): Promise<DoctorCheck> {
  const governor = (await textOf('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'))?.trim();
  if (governor === undefined) return ok('cpu governor', 'not visible here, as in most virtual machines');
  if (governor === 'performance') return ok('cpu governor', governor);
  const remedy = 'cpupower frequency-set --governor performance, while you measure';
  return lacking('cpu governor', `${governor}: the clock changes with the load`, remedy);
}

/** Observes the processors for a second while nothing of ours works. */
async function checkNeighbours(): Promise<DoctorCheck> {
  const before = readTicks();
  await sleep(watchMs);
  const after = readTicks();
  if (before === null || after === null) return ok('neighbours', 'not visible on this system');
  const all = Math.max(1, after.allTicks - before.allTicks);
  const steal = (after.stealTicks - before.stealTicks) / all;
  const busy = (after.busyTicks - before.busyTicks) / all;
  const found = `${percent(busy)} of the processors busy and ${percent(steal)} stolen before this check`;
  if (steal > stealShareMax) {
    return lacking(
      'neighbours',
      found,
      'measure on a dedicated machine: this one’s host gives processor time to others',
    );
  }
  if (busy > busyShareMax) return lacking('neighbours', found, 'stop other programs while you measure');
  return ok('neighbours', found);
}

function checkMemory(): DoctorCheck {
  const found = `${Math.round(totalmem() / mib)} MiB, ${Math.round(freemem() / mib)} free`;
  if (totalmem() >= memoryBytesMin) return ok('memory', found);
  return lacking('memory', found, `compare on a machine with ${memoryBytesMin / gib} GiB or more`);
}

const limitsSchema = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
});

function checkOpenFiles(): DoctorCheck {
  const parsed = limitsSchema.safeParse(process.report.getReport());
  const limit = parsed.data?.userLimits.open_files.soft;
  if (limit === undefined) return ok('open files', 'this system shows no limit');
  if (limit === 'unlimited' || Number(limit) >= openFilesMin) return ok('open files', `at most ${limit}`);
  return lacking(
    'open files',
    `limit ${limit}: too low for thousands of sessions`,
    `ulimit -n ${openFilesMin} in the shell that measures`,
  );
}

/** The databases' disk: its kind, its free space, and the sync rate of one writer. */
async function checkDisk(openDataDirectory: () => Promise<string>): Promise<DoctorCheck[]> {
  const elsewhere = 'name a folder on a disk of this machine by --data-dir or FAIR_BENCH_DATA_DIR';
  try {
    const directory = await openDataDirectory();
    const dataRoot = dirname(directory);
    const { type } = await fileSystemOf(directory);
    const { bavail, bsize } = await statfs(directory);
    const { fsyncPerSecond, flushes } = await measureStorage(directory);
    const free = `${Math.round((bavail * bsize) / gib)} GiB free`;
    const disk = `${type} at ${dataRoot}, ${free}`;
    const rate = `${Math.round(fsyncPerSecond)} synced writes of 8 KiB per second by one writer`;
    return [
      isVolatile(type)
        ? lacking('disk', `${disk}: nothing on it survives a power cut`, elsewhere)
        : bavail * bsize < freeDiskBytesMin
          ? needed('disk', disk, elsewhere)
          : ok('disk', disk),
      fsyncPerSecond > plausibleFsyncMax
        ? lacking('fsync', `${rate}: no device does that, so nothing is synced`, elsewhere)
        : ok('fsync', rate),
      flushes === null
        ? lacking(
            'flush counter',
            'the device does not count its flushes: durable commits are only checked by time',
            'measure on a block device of this machine that counts them in /sys/dev/block/*/stat',
          )
        : ok('flush counter', 'the device counts its flushes: durable commits are checked by it'),
    ];
  } catch (error) {
    return [needed('disk', messageOf(error), elsewhere)];
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
