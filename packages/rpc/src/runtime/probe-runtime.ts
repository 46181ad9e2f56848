import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AppRuntime, Availability, TargetOptions } from '@fair-bench/contract';
import { runtimeCommand } from './runtime-command.ts';

const versionTimeoutMs = 10_000;
const plainRuntime: AppRuntime = 'node';

/**
 * A connector's probe with its application server's runtime: unavailable where that does not run here, and
 * otherwise what `probeDatabase` finds.
 */
export function withRuntime(
  probeDatabase: (options: TargetOptions) => Promise<Availability>,
): (options: TargetOptions) => Promise<Availability> {
  return async (options) => {
    const lacking = await lackingRuntime(options.appRuntime);
    return lacking ?? (await probeDatabase(options));
  };
}

/** Starts the runtime to see that it runs: a binary for another processor generation is there, and ends. */
async function lackingRuntime(runtime: AppRuntime): Promise<Availability | null> {
  try {
    const { command } = runtimeCommand(runtime);
    if (runtime !== plainRuntime) {
      await promisify(execFile)(command, ['--version'], { timeout: versionTimeoutMs });
    }
    return null;
  } catch (error) {
    return {
      available: false,
      reason: error instanceof Error ? error.message : String(error),
      remedy: `run it under ${plainRuntime}, by the target's name without ${runtime}`,
    };
  }
}
