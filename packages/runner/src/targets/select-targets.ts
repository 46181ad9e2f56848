import type { FoundConnector } from '../discover/workspace.ts';
import { badOption } from '@fair-bench/contract';
import type { TargetDefinition } from './definition.ts';
import { nearest } from '../options/nearest.ts';
import { parseVariant, withVariant, wordsOf } from './variant.ts';

/**
 * The targets that `--systems` names, in its order, each once. A target's name gives that target, and a
 * variant of it after `@`; a system's name gives all of its targets but rulers (unless it has nothing
 * else). Null gives everything that supports the workload, but rulers.
 */
export function selectTargets(
  known: readonly TargetDefinition[],
  names: readonly string[] | null,
  workload: string,
): readonly TargetDefinition[] {
  if (names === null) {
    return known.filter(
      ({ connector: { manifest } }) => !manifest.ruler && manifest.workloads.includes(workload),
    );
  }
  const selected = new Map<string, TargetDefinition>();
  for (const definition of names.flatMap((name) => definitionsNamed(known, name))) {
    if (!definition.connector.manifest.workloads.includes(workload)) {
      throw badOption('systems', definition.target, `targets that support the workload ${workload}`);
    }
    selected.set(definition.target, definition);
  }
  return [...selected.values()];
}

/** System names, each once. */
export function systemNames(connectors: readonly FoundConnector[]): readonly string[] {
  return [...new Set(connectors.map(({ manifest }) => manifest.system))];
}

function definitionsNamed(known: readonly TargetDefinition[], name: string): readonly TargetDefinition[] {
  const exact = known.filter(({ target }) => target === name);
  if (exact.length > 0) return exact;
  const ofSystem = known.filter(({ system }) => system === name);
  const databases = ofSystem.filter(({ connector }) => !connector.manifest.ruler);
  if (databases.length > 0) return databases;
  if (ofSystem.length > 0) return ofSystem;
  return [variantNamed(known, name)];
}

function variantNamed(known: readonly TargetDefinition[], name: string): TargetDefinition {
  const [base, words] = name.split('@', 2);
  const definition = known.find(({ target }) => target === base);
  if (definition === undefined || words === undefined) {
    const names = [...known.map(({ target }) => target), ...new Set(known.map(({ system }) => system))];
    throw badOption('systems', name, `${names.join(', ')}${suggestion(name, names)}`);
  }
  const { factors } = definition.connector.manifest;
  const variant = parseVariant(words, factors);
  if (variant !== null && words !== '') return withVariant(definition, variant);
  const accepted = [...wordsOf(factors).keys(), ...(factors.processes ? ['processes-N'] : [])];
  const variants = accepted.length === 0 ? 'and no variant of it' : `with @ and ${accepted.join(', ')}`;
  throw badOption('systems', name, `${definition.target}, ${variants}`);
}

/** ` (did you mean "x"?)`, or nothing when no name is near. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === null ? '' : ` (did you mean "${near}"?)`;
}
