import type { Catalog, FoundConnector } from '../discover/index.ts';
import { badOption } from '../input-error.ts';
import { nearest } from './nearest.ts';

/**
 * The connectors that `--systems` names, in its order, each once. A target's name gives that target; a
 * system's name gives all of its targets but rulers (unless it has nothing else). Null gives everything
 * that supports the workload, but rulers.
 */
export function selectTargets(
  catalog: Catalog,
  names: readonly string[] | null,
  workload: string,
): readonly FoundConnector[] {
  if (names === null) {
    return catalog.connectors.filter(
      ({ manifest }) => !manifest.ruler && manifest.workloads.includes(workload),
    );
  }
  const selected = new Set<FoundConnector>();
  for (const name of names) {
    for (const connector of connectorsNamed(catalog, name)) {
      if (!connector.manifest.workloads.includes(workload)) {
        throw badOption('systems', connector.name, `targets that support the workload ${workload}`);
      }
      selected.add(connector);
    }
  }
  return [...selected];
}

/** System names, each once. */
export function systemNames(catalog: Catalog): readonly string[] {
  return [...new Set(catalog.connectors.map(({ manifest }) => manifest.system))];
}

function connectorsNamed(catalog: Catalog, name: string): readonly FoundConnector[] {
  const exact = catalog.connectors.filter((connector) => connector.name === name);
  if (exact.length > 0) return exact;
  const ofSystem = catalog.connectors.filter(({ manifest }) => manifest.system === name);
  const databases = ofSystem.filter(({ manifest }) => !manifest.ruler);
  if (databases.length > 0) return databases;
  if (ofSystem.length > 0) return ofSystem;
  const targets = catalog.connectors.map((connector) => connector.name);
  const known = [...targets, ...systemNames(catalog)];
  throw badOption('systems', name, `${known.join(', ')}${suggestion(name, known)}`);
}

/** ` (did you mean "x"?)`, or nothing when no name is near. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === null ? '' : ` (did you mean "${near}"?)`;
}
