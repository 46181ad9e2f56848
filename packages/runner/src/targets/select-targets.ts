import type { FoundConnector } from '../discover/workspace.ts';
import { badOption } from '@fair-bench/contract';
import type { TargetDefinition } from './definition.ts';
import { suggestion } from '../options/nearest.ts';
import { splitTarget, targetForm, valuesIn } from '../settings/grammar.ts';
import { settingsOf } from '@fair-bench/results';
import { withValues } from './definition.ts';

/**
 * The targets that `--systems` names, in its order, each once. `TARGET[key=value,…]` and `TARGET@preset` give that
 * target with those settings; a system's name gives all of its targets except calibration targets (unless it has
 * nothing else). Null gives everything that is measured by default and has a binding for the workload, except calibration targets.
 */
export function selectTargets(
  known: readonly TargetDefinition[],
  names: readonly string[] | null,
): readonly TargetDefinition[] {
  if (names === null) {
    return known.filter(({ connector: { manifest, isBound } }) => {
      return manifest.byDefault && !manifest.calibration && isBound;
    });
  }
  const selected = new Map<string, TargetDefinition>();
  for (const definition of names.flatMap((name) => definitionsNamed(known, name))) {
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
  const databases = ofSystem.filter(({ connector }) => !connector.manifest.calibration);
  if (databases.length > 0) return databases;
  if (ofSystem.length > 0) return ofSystem;
  return [targetNamed(known, name)];
}

function targetNamed(known: readonly TargetDefinition[], text: string): TargetDefinition {
  const named = splitTarget(text);
  const definition = known.find(({ target }) => target === named?.name);
  if (named === null || definition === undefined) {
    const names = [...known.map(({ target }) => target), ...new Set(known.map(({ system }) => system))];
    const accepts = `${names.join(', ')}, as TARGET, TARGET@preset or ${targetForm}`;
    throw badOption('systems', text, `${accepts}${suggestion(named?.name ?? text, names)}`);
  }
  const { connector } = definition;
  const table = settingsOf([connector]).filter(({ of }) => of.kind === 'target');
  const values = valuesIn(named, connector, table, (accepts) => {
    throw badOption('systems', text, accepts);
  });
  return withValues(definition, values);
}
