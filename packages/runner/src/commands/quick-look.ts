import { InputError } from '@fair-bench/contract';
import { loadConnector } from '../discover/load.ts';
import { probe } from '../provision/probe.ts';
import type { TargetDefinition } from '../targets/definition.ts';

/**
 * For a first look: the first target that is available here, of each of the first two systems. Rejects with an
 * InputError when fewer than two systems are available.
 */
export async function availableOfTwoSystems(
  targets: readonly TargetDefinition[],
): Promise<readonly TargetDefinition[]> {
  const found = new Map<string, TargetDefinition>();
  for (const definition of targets) {
    if (found.size === 2) break;
    if (!found.has(definition.system) && (await isAvailable(definition))) {
      found.set(definition.system, definition);
    }
  }
  if (found.size < 2) {
    throw new InputError(
      '--quick: fewer than two systems are available; see npm run list, or name --systems',
    );
  }
  return [...found.values()];
}

async function isAvailable({ connector, url, settings }: TargetDefinition): Promise<boolean> {
  const options = {
    ...settings,
    ...(url === null ? {} : { url }),
    sessionsMax: 1,
    depthMax: 1,
    workload: null,
  };
  return (await probe(await loadConnector(connector), options)).available;
}
