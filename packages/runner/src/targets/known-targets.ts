import { InputError, badOption, defaultTargetSettings } from '@fair-bench/contract';
import type { RunOptions } from '../options/run-options.ts';
import type { ConfiguredTarget } from '../config/configured-targets.ts';
import type { Catalog, FoundConnector } from '../discover/workspace.ts';
import { suggestion } from '../options/nearest.ts';
import { applied, type TargetDefinition } from './definition.ts';
import { selectTargets, systemNames } from './select-targets.ts';

/** The options that change targets. */
type TargetChoice = Pick<RunOptions, 'systems' | 'url' | 'set' | 'processes' | 'poolSize'> &
  Partial<Pick<RunOptions, 'setup'>>;

/**
 * The targets of a run with the endpoints and settings of its options. An InputError names the option that mentions
 * something unknown to the workspace.
 * @param configured the targets of the user's configuration, in addition to the workspace's own.
 */
export function chosenTargets(
  catalog: Catalog,
  choice: TargetChoice,
  configured: readonly ConfiguredTarget[] = [],
): readonly TargetDefinition[] {
  for (const option of ['url', 'setup'] as const) checkSystems(option, choice[option] ?? [], catalog);
  const known = knownTargets(catalog, choice, configured);
  const chosen = selectTargets(known, choice.systems ?? null);
  if (chosen.length === 0) {
    throw badOption('systems', 'nothing', 'at least one target, and the workload has a binding for none');
  }
  checkUse(choice, chosen);
  for (const { base } of chosen) demandComplete(base, configured);
  return chosen.map((definition) => withSettings(definition, choice));
}

/** Every target of the workspace and of the user's configuration, under its own name. */
export function knownTargets(
  catalog: Catalog,
  choice: Omit<TargetChoice, 'systems' | 'set'>,
  configured: readonly ConfiguredTarget[],
): readonly TargetDefinition[] {
  return [
    ...catalog.connectors.map((connector) => definitionOf(connector, choice)),
    ...configured.map((target) => configuredDefinition(target, choice)),
  ];
}

/** A connector's target without settings. */
export function definitionOf(
  connector: FoundConnector,
  { url, setup = [], processes, poolSize }: Omit<TargetChoice, 'systems' | 'set'>,
): TargetDefinition {
  const { name, manifest } = connector;
  const own = setup.find(({ system }) => system === manifest.system)?.file ?? null;
  return {
    target: name,
    base: name,
    own: {},
    values: {},
    connector,
    system: manifest.system,
    configured: false,
    url: url.find(({ system }) => system === manifest.system)?.url ?? null,
    nodes: [],
    settings: { ...defaultTargetSettings, processes, poolSize, setup: manifest.factors.setup ? own : null },
  };
}

/** What the configuration leaves open comes from the run's options. */
export function configuredDefinition(
  { target, connector, system, values, price, application, endpoint, nodes }: ConfiguredTarget,
  { processes, poolSize }: Pick<TargetChoice, 'processes' | 'poolSize'>,
): TargetDefinition {
  return {
    target,
    base: target,
    own: values,
    values: {},
    connector,
    system,
    configured: true,
    url: endpoint.status === 'complete' ? endpoint.url : null,
    nodes,
    settings: applied({ ...defaultTargetSettings, processes, poolSize, application }, values, connector),
    price,
  };
}

/** A run does not begin while one of its targets lacks a secret or URL. */
function demandComplete(name: string, configured: readonly ConfiguredTarget[]): void {
  const endpoint = configured.find(({ target }) => target === name)?.endpoint;
  if (endpoint?.status !== 'lacking') return;
  throw new InputError(`${name}: ${endpoint.reason}; ${endpoint.remedy}, or leave it out`);
}

/** `--set` names a target as the run does, with its variant; a connector's bare name means all of its variants. */
function withSettings(definition: TargetDefinition, { set }: TargetChoice): TargetDefinition {
  const own = set.filter(
    ({ target }) => target === definition.target || target === definition.connector.name,
  );
  const extra = Object.fromEntries(own.map(({ key, value }) => [key, value]));
  return {
    ...definition,
    settings: { ...definition.settings, extra: { ...definition.settings.extra, ...extra } },
  };
}

/** Options of the form SYSTEM=VALUE. */
interface OfSystem {
  readonly system: string;
}

function checkSystems(option: 'url' | 'setup', given: readonly OfSystem[], catalog: Catalog): void {
  const known = systemNames(catalog.connectors);
  const seen = new Set<string>();
  for (const { system } of given) {
    if (!known.includes(system)) {
      throw badOption(option, `${system}=…`, `the systems ${known.join(', ')}${suggestion(system, known)}`);
    }
    if (seen.has(system)) throw badOption(option, `${system}=… twice`, 'one for each system');
    seen.add(system);
  }
}

/** Naming a target that the run lacks would be ignored silently. */
function checkUse({ url, setup = [], set }: TargetChoice, chosen: readonly TargetDefinition[]): void {
  const demand = (option: string, { system }: OfSystem, isUsed: (one: TargetDefinition) => boolean): void => {
    if (chosen.some((one) => !one.configured && one.connector.manifest.system === system && isUsed(one)))
      return;
    throw badOption(
      option,
      `${system}=…`,
      `systems that --systems names and that take one, which ${system} is not`,
    );
  };
  for (const one of url) demand('url', one, () => true);
  for (const one of setup) demand('setup', one, ({ connector }) => connector.manifest.factors.setup);
  const names = [...new Set(chosen.flatMap(({ target, connector }) => [target, connector.name]))];
  for (const { target, key, value } of set) {
    if (names.includes(target)) continue;
    const accepts = `targets of this run: ${names.join(', ')}${suggestion(target, names)}`;
    throw badOption('set', `${target}.${key}=${value}`, accepts);
  }
}
