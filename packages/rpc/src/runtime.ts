import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type AppRuntime, type Availability, type TargetOptions, messageOf } from '@fair-bench/contract';

const versionTimeoutMs = 10_000;
const defaultRuntime: AppRuntime = 'node';

/** How a runtime starts a module: this command, with these arguments before the module's path. */
interface RuntimeCommand {
  readonly command: string;
  readonly arguments: readonly string[];
}

interface Binary {
  readonly packageName: string;
  /** Within the package. */
  readonly path: string;
}

/**
 * V8 grows the young generation, up to 16 MB, by what survives in it, and so by how much a server imports at its
 * start: one with an ORM would collect half as often as one without. Therefore all servers begin with the maximum.
 */
const youngGeneration = '--min-semi-space-size=16';

/**
 * The command of a runtime. Node is the running one, which is pinned; Bun is the registry's binary for this platform,
 * also pinned. Throws if a runtime is unusable here.
 */
export function runtimeCommand(runtime: AppRuntime): RuntimeCommand {
  if (runtime === 'node') return { command: process.execPath, arguments: [youngGeneration] };
  // Seen with Deno 2.9.6: a session whose socket was passed to a worker ends with "other side closed".
  if (runtime === 'deno') {
    throw new Error('Deno loses connections that one process passes to another, which our servers need');
  }
  // Files of the working directory must not influence the measurement, and nothing may be downloaded.
  return { command: binaryOf('bun', bunBinary()), arguments: ['--no-install', '--no-env-file'] };
}

function bunBinary(): Binary {
  const architecture = process.arch === 'arm64' ? 'aarch64' : process.arch;
  return { packageName: `@oven/bun-${process.platform}-${architecture}`, path: 'bin/bun' };
}

function binaryOf(runtime: AppRuntime, { packageName, path }: Binary): string {
  let manifest: string;
  try {
    manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
  } catch (cause) {
    throw new Error(`no ${runtime} for this platform: the package ${packageName} is not installed`, {
      cause,
    });
  }
  const binary = join(dirname(manifest), path);
  if (!existsSync(binary)) {
    throw new Error(
      `the package ${packageName} is incomplete: it has no ${path}; install the packages again`,
    );
  }
  return binary;
}

/**
 * A connector's probe including its application server's runtime: unavailable if that does not run here, otherwise
 * the result of `probeDatabase`.
 */
export function withRuntime(
  probeDatabase: (options: TargetOptions) => Promise<Availability>,
): (options: TargetOptions) => Promise<Availability> {
  return async (options) => {
    const lacking = await lackingRuntime(options.appRuntime);
    return lacking ?? (await probeDatabase(options));
  };
}

/** Starts the runtime to check it: a binary for another processor generation exists, and crashes. */
async function lackingRuntime(runtime: AppRuntime): Promise<Availability | null> {
  try {
    const { command } = runtimeCommand(runtime);
    if (runtime !== defaultRuntime) {
      await promisify(execFile)(command, ['--version'], { timeout: versionTimeoutMs });
    }
    return null;
  } catch (error) {
    return {
      available: false,
      reason: messageOf(error),
      remedy: `run it under ${defaultRuntime}, by the target's name without ${runtime}`,
    };
  }
}
