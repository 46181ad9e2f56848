import { dirname, resolve } from 'node:path';
import {
  type Application,
  type FairBenchConfig,
  type FromEnvironment,
  InputError,
  type Price,
  type ClusterNode,
} from '@fair-bench/contract';
import type { Catalog, FoundConnector } from '../discover/workspace.ts';
import { environmentVariable } from '../options/env.ts';
import { suggestion } from '../options/nearest.ts';
import { splitTarget, targetForm, valuesIn } from '../settings/grammar.ts';
import { settingsOf, type SettingValues } from '@fair-bench/results';
import type { ConfigFile } from './read-config.ts';

/** A target of the configuration, with the environment variables that are missing. */
export interface ConfiguredTarget {
  readonly target: string;
  readonly connector: FoundConnector;
  /** The product's name in lower case, as systems are named. */
  readonly system: string;
  /** Settings that differ from those of the run's other targets. */
  readonly values: SettingValues;
  readonly price?: Price | undefined;
  /** The user's application; null for what this suite has. */
  readonly application: Application | null;
  /** The servers of its cluster, with their secrets; empty where the file names none. */
  readonly nodes: readonly ClusterNode[];
  readonly endpoint:
    | { readonly status: 'complete'; readonly url: string | null }
    | { readonly status: 'lacking'; readonly reason: string; readonly remedy: string };
}

type TargetEntry = FairBenchConfig['targets'][string];

/**
 * The targets of a configuration. An InputError names the file and the target where the workspace lacks something
 * that it sets. Secrets come from the environment and go only into the URL.
 */
export function configuredTargets(catalog: Catalog, file: ConfigFile | null): readonly ConfiguredTarget[] {
  if (file === null) return [];
  return Object.entries(file.config.targets).map(([target, entry]) => {
    const complain = (what: string): never => {
      throw new InputError(`${file.path}: targets.${target}.${what}`);
    };
    const named = splitTarget(entry.connector);
    const connectors = [...catalog.connectors, ...catalog.applications];
    const connector = connectors.find(({ name }) => name === named?.name);
    if (named === null || connector === undefined) {
      return complain(`connector: ${unknownConnector(entry.connector, connectors)}`);
    }
    const table = settingsOf([connector]).filter(({ of }) => of.kind === 'target');
    if (catalog.connectors.some(({ name }) => name === target)) {
      return complain('connector: the target has the name of a connector; give it another');
    }
    return {
      target,
      connector,
      system: entry.system?.toLowerCase().replaceAll(' ', '-') ?? connector.manifest.system,
      values: {
        ...valuesIn(named, connector, table, (accepts) =>
          complain(`connector: got "${entry.connector}"; accepts ${accepts}`),
        ),
        ...setupOf(entry, connector, { file: file.path, complain }),
      },
      price: entry.price,
      application: applicationOf(entry, connector, { file: file.path, complain }),
      nodes: nodesOf(entry, connector, complain),
      endpoint: endpointOf(entry, complain),
    };
  });
}

function unknownConnector(name: string, connectors: readonly FoundConnector[]): string {
  const names = connectors.map((connector) => connector.name);
  const known = suggestion(splitTarget(name)?.name ?? name, names);
  return `got "${name}"; accepts ${names.join(', ')}, also as ${targetForm}${known}`;
}

/** The configuration that says it, and what ends its reading with an error. */
interface Source {
  readonly file: string;
  readonly complain: (what: string) => never;
}

/** Its path is absolute. */
function setupOf(
  { setup }: TargetEntry,
  { name, manifest }: FoundConnector,
  { file, complain }: Source,
): SettingValues {
  if (setup === undefined) return {};
  if (!manifest.factors.setup) return complain(`setup: ${name} takes no tables of yours; leave it out`);
  return { setup: resolve(dirname(file), setup) };
}

/** Its directory is absolute. */
function applicationOf(
  { app }: TargetEntry,
  { name, manifest }: FoundConnector,
  { file, complain }: Source,
): Application | null {
  if (app !== undefined && !manifest.application)
    return complain(`app: ${name} measures no application; accepts a connector as postgres-app`);
  if (app === undefined && manifest.application)
    return complain(`app: got nothing; accepts { command, operations }, because ${name} measures yours`);
  return app === undefined ? null : { ...app, directory: resolve(dirname(file), app.directory) };
}

function endpointOf(
  { url: given, secrets }: TargetEntry,
  complain: (what: string) => never,
): ConfiguredTarget['endpoint'] {
  const named = [...(typeof given === 'object' ? [given] : []), ...Object.values(secrets)];
  const missing = named.map(({ fromEnvironment }) => fromEnvironment).filter((name) => !isSet(name));
  if (missing.length > 0) {
    const names = [...new Set(missing)].join(', ');
    return {
      status: 'lacking',
      reason: `the environment does not have ${names}`,
      remedy: `set ${names}, which its configuration names`,
    };
  }
  if (given === undefined) {
    if (Object.keys(secrets).length > 0) return complain('secrets: accepts secrets beside a url');
    return { status: 'complete', url: null };
  }
  const text = typeof given === 'string' ? given : valueOf(given);
  // The message leaves the text out: an invalid URL may be a password in the wrong variable.
  if (!URL.canParse(text)) return complain('url: accepts a complete URL, such as mydb://127.0.0.1:5432/name');
  const url = new URL(text);
  if (typeof given === 'string' && url.password !== '') {
    return complain(
      'url: accepts a URL without a password; name it by secrets: { password: { fromEnvironment } }',
    );
  }
  for (const [name, secret] of Object.entries(secrets)) addSecret(url, name, valueOf(secret));
  return { status: 'complete', url: url.href };
}

/** Secrets that the environment lacks are missing from the endpoint too, and end the run there. */
function nodesOf(
  { url, nodes = [], secrets }: TargetEntry,
  { name, manifest }: FoundConnector,
  complain: (what: string) => never,
): readonly ClusterNode[] {
  if (nodes.length > 0 && url === undefined) return complain('nodes: accepts nodes beside a url');
  if (nodes.length > 0 && manifest.application)
    return complain(`nodes: ${name} measures an application; accepts a connector of its database`);
  return nodes.map(({ url: text, restart, kill = null }, place) => {
    if (!URL.canParse(text))
      return complain(`nodes.${place}.url: accepts a complete URL, such as mydb://10.0.0.1:5432/name`);
    const own = new URL(text);
    if (own.password !== '')
      return complain(`nodes.${place}.url: accepts a URL without a password; the target's secrets are added`);
    for (const [part, secret] of Object.entries(secrets)) addSecret(own, part, valueOf(secret));
    return { url: own.href, restart, kill };
  });
}

function addSecret(url: URL, name: string, value: string): void {
  if (name === 'user') url.username = encodeURIComponent(value);
  else if (name === 'password') url.password = encodeURIComponent(value);
  else url.searchParams.set(name, value);
}

function isSet(name: string): boolean {
  return environmentVariable(name) !== null;
}

function valueOf({ fromEnvironment }: FromEnvironment): string {
  return environmentVariable(fromEnvironment) ?? '';
}
