import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Availability, moduleIn, type TargetOptions, type TargetWorkload } from '@fair-bench/contract';

type Probe = (options: TargetOptions) => Promise<Availability>;

/** A connector's probe including its binding's file, or the first of several: unavailable where the workload has none. */
export function withBinding(file: string | readonly string[], probeTarget: Probe): Probe {
  return async (options) => {
    const { workload } = options;
    if (workload === null || fileIn(workload, file) !== null) return await probeTarget(options);
    return {
      available: false,
      reason: `the workload ${workload.shape.name} has no binding ${join(workload.folder, [file].flat().join(' or '))}`,
      remedy: 'write it as docs/your-own-transaction.md shows, or leave this target out',
    };
  };
}

/** The workload of a target, and the path of its binding: the first of its files that exists. Throws if the target has none. */
export function bindingOf(
  target: string,
  { workload }: TargetOptions,
  file: string | readonly string[],
): { readonly workload: TargetWorkload; readonly path: string } {
  if (workload === null) throw new Error(`${target}: no workload is chosen; name one`);
  const [preferred = ''] = [file].flat();
  return { workload, path: fileIn(workload, file) ?? join(workload.folder, preferred) };
}

/** The path of the first that exists. */
function fileIn({ folder }: TargetWorkload, file: string | readonly string[]): string | null {
  return (
    [file]
      .flat()
      .map((one) => moduleIn(folder, one))
      .find((path) => existsSync(path)) ?? null
  );
}
