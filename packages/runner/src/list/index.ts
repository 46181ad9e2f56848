import type { Listing } from './listing.ts';
import { isInstalled, messageOf, defaultTargetSettings } from '@fair-bench/contract';
import { probeAlone } from '../provision/probe.ts';
import { configuredTargets, type ConfiguredTarget } from '../config/configured-targets.ts';
import { readConfig } from '../config/read-config.ts';
import { discover } from '../discover/workspace.ts';
import { configuredDefinition, definitionOf } from '../targets/known-targets.ts';
import { type TargetDefinition, withValues } from '../targets/definition.ts';

/**
 * Every target of the workspace with each of its application runtimes, and the targets of the user's configuration:
 * whether it is available on this machine. Starts nothing.
 */
export async function listTargets(root: string, config?: string): Promise<Listing[]> {
  const catalog = await discover(root);
  const configured = configuredTargets(catalog, await readConfig(root, config));
  const own = catalog.connectors.flatMap((connector) =>
    withRuntimes(definitionOf(connector, { ...defaultTargetSettings, url: [], setup: [] })),
  );
  return await Promise.all([
    ...own.map(async (definition) => await listingOf(definition)),
    ...configured.map(async (target) => await configuredListing(target)),
  ]);
}

/** The list for a terminal: what is available, then a line for each other target with its reason and remedy. */
export function renderListing(listings: readonly Listing[]): string {
  const available = listings.filter((listing) => listing.available);
  const others = listings.filter((listing) => !listing.available);
  const width = Math.max(...listings.map(({ target }) => target.length));
  const line = (target: string, text: string): string => `  ${target.padEnd(width)}  ${text}`.trimEnd();
  return [
    `Available here (${available.length}):`,
    ...available.map(({ target, version = '' }) => line(target, version)),
    ...(others.length === 0 ? [] : ['', `Unavailable (${others.length}):`]),
    ...others.map(({ target, reason = '', remedy = '' }) =>
      line(target, [reason, remedy].filter(Boolean).join('; ')),
    ),
  ].join('\n');
}

/** The target, and the same with each other runtime of its application server. */
function withRuntimes(definition: TargetDefinition): readonly TargetDefinition[] {
  const { appRuntime: ownRuntime } = definition.settings;
  const others = definition.connector.manifest.factors.appRuntime.filter((runtime) => runtime !== ownRuntime);
  return [definition, ...others.map((runtime) => withValues(definition, { runtime }))];
}

async function configuredListing(configured: ConfiguredTarget): Promise<Listing> {
  const definition = configuredDefinition(configured, defaultTargetSettings);
  const { endpoint } = configured;
  if (endpoint.status === 'complete') return await listingOf(definition);
  return { ...identityOf(definition), available: false, reason: endpoint.reason, remedy: endpoint.remedy };
}

async function listingOf(definition: TargetDefinition): Promise<Listing> {
  const row = identityOf(definition);
  try {
    const availability = await probeAlone(definition);
    if (!availability.available) {
      return { ...row, available: false, reason: availability.reason, remedy: availability.remedy };
    }
    const { version } = availability;
    return version === null ? { ...row, available: true } : { ...row, available: true, version };
  } catch (error) {
    const reason = messageOf(error);
    // An optional dependency that was left out when the package was installed.
    const [, lacking] = isInstalled ? (/Cannot find package '([^']+)'/.exec(reason) ?? []) : [];
    const remedy =
      lacking === undefined
        ? `mend the package of ${definition.connector.manifestPath}`
        : `npm install --save-dev ${lacking}`;
    return { ...row, available: false, reason, remedy };
  }
}

function identityOf({ target, system, connector }: TargetDefinition): Omit<Listing, 'available'> {
  return { target, system, route: connector.manifest.route };
}
