import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Availability, TargetOptions, TargetWorkload } from '@fair-bench/contract';

type Probe = (options: TargetOptions) => Promise<Availability>;

/** A connector's probe including its binding's file: unavailable where the workload has none. */
export function withBinding(file: string, probeTarget: Probe): Probe {
  return async (options) => {
    const { workload } = options;
    if (workload === null || existsSync(join(workload.folder, file))) return await probeTarget(options);
    return {
      available: false,
      reason: `the workload ${workload.shape.name} has no binding ${join(workload.folder, file)}`,
      remedy: 'write it as docs/your-own-transaction.md shows, or leave this target out',
    };
  };
}

/** The workload of a target, and the path of its binding. Throws if the target has none. */
export function bindingOf(
  target: string,
  { workload }: TargetOptions,
  file: string,
): { readonly workload: TargetWorkload; readonly path: string } {
  if (workload === null) throw new Error(`${target}: no workload is chosen; name one`);
  return { workload, path: join(workload.folder, file) };
}
