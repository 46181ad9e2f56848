import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, machine, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environmentSchema, type Environment, type LoadMachine, type RoundTrip } from '@fair-bench/results';
import { fileSystemOf } from '@fair-bench/supervisor';
import { hasCode, isInstalled } from '@fair-bench/contract';

const gitTimeoutMs = 5000;

interface EnvironmentInput {
  /** The workspace, for its git history and lockfile. */
  readonly root: string;
  /** The databases' data directory; it exists. */
  readonly dataRoot: string;
  /** As measured by the storage probe, or null. */
  readonly fsyncPerSecond: number | null;
  /** The processors of load clients and servers, in words. */
  readonly pinning: string;
  /** One for each URL that the user named. */
  readonly roundTrips?: readonly RoundTrip[];
  /** Where load comes from; empty where it is this machine. */
  readonly loadAgents?: readonly LoadMachine[];
}

/** The machine and the software of a run. Rejects when the data directory does not exist. */
export async function captureEnvironment(input: EnvironmentInput): Promise<Environment> {
  const { root, dataRoot, fsyncPerSecond, pinning, roundTrips = [], loadAgents = [] } = input;
  const [fileSystem, hostAndSoftware] = await Promise.all([
    fileSystemOf(dataRoot),
    readHostAndSoftware(root),
  ]);
  return environmentSchema.parse({
    ...hostAndSoftware,
    fileSystem: { type: fileSystem.type, directory: dataRoot },
    fsyncPerSecond,
    ...(roundTrips.length === 0 ? {} : { roundTrips }),
    ...(loadAgents.length === 0 ? {} : { loadAgents }),
    pinning,
  });
}

/** What is known before anything starts: the machine, and the version of this project. */
export async function readHostAndSoftware(
  root: string,
): Promise<Pick<Environment, 'cpu' | 'memoryBytes' | 'os' | 'runtime' | 'git' | 'lockfileSha256'>> {
  const [git, lockfileSha256] = await Promise.all([gitState(root), sha256Of(join(root, 'pnpm-lock.yaml'))]);
  return {
    cpu: { model: cpus()[0]?.model.trim() || 'unknown', cores: availableParallelism() },
    memoryBytes: totalmem(),
    os: { platform: platform(), kernel: release(), architecture: machine() },
    runtime: `node ${process.versions.node}`,
    git,
    lockfileSha256,
  };
}

/** Null outside a checkout, or without git. */
async function gitState(root: string): Promise<Environment['git']> {
  // An installed package is in no checkout of its own.
  if (isInstalled) return null;
  const git = async (...words: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('git', ['-C', root, ...words], { timeout: gitTimeoutMs });
    return stdout.trim();
  };
  try {
    const commit = await git('rev-parse', 'HEAD');
    return { commit, dirty: (await git('status', '--porcelain')) !== '' };
  } catch {
    return null;
  }
}

async function sha256Of(path: string): Promise<string | null> {
  try {
    return hash('sha256', await readFile(path));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
