import { resultsFolder } from '@fair-bench/results';
import { join, resolve } from 'node:path';
import {
  type Availability,
  InputError,
  badOption,
  messageOf,
  defaultTargetSettings,
} from '@fair-bench/contract';
import type { RunPlan } from '@fair-bench/results';
import { type LoadedConnector, loadConnectors } from '../discover/load.ts';
import { type LoadedWorkload, loadWorkload } from '../discover/workload.ts';
import { redactUrl } from '@fair-bench/supervisor';
import { type OptionsInput, targetOptions } from '../plan/target-options.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { checkOwnTables } from '../targets/own-tables.ts';
import type { PreparedRun } from './run-and-report.ts';
import { checkDataDirectory, checkResultsDirectory } from './folders.ts';
import { optionName } from '../options/option-texts.ts';
import { type LoadAgentsOptions, loadAgentsSetting } from '../options/load-agents.ts';
import { checkLoadAgents } from '../measure/load-agents.ts';
import { probe } from '../provision/probe.ts';
import { configuredTargets } from '../config/configured-targets.ts';
import { readConfig } from '../config/read-config.ts';
import { discoverFor } from '../discover/workspace.ts';

export interface ContextInput {
  readonly root: string;
  readonly plan: RunPlan;
  /** The definitions of the plan's targets. */
  readonly targets: readonly TargetDefinition[];
  readonly workload: LoadedWorkload;
  /** The folders and load agents, if they are given. */
  readonly options: LoadAgentsOptions & {
    readonly out?: string | undefined;
    readonly dataDir?: string | undefined;
  };
  /** The data directory of the environment; the option overrides it. */
  readonly dataDirectory: string | null;
}

/** The chosen workload, the connectors with a binding for it, and the targets of the user's configuration. */
export async function workspaceOf(
  root: string,
  options: { readonly workload: string; readonly config?: string | undefined },
) {
  const workload = await loadWorkload(root, options.workload);
  const catalog = await discoverFor(root, workload);
  const configured = configuredTargets(catalog, await readConfig(root, options.config));
  return { workload, catalog, configured };
}

/** Checks folders and endpoints, and loads the connectors; InputErrors come before anything is started or created. */
export async function prepareContext(input: ContextInput): Promise<PreparedRun['context']> {
  const { root, plan, targets, workload, options, dataDirectory } = input;
  const directory = resolve(options.out ?? join(resultsFolder(root), plan.id));
  await checkResultsDirectory(directory);
  if (options.dataDir !== undefined) await checkDataDirectory('--data-dir', options.dataDir);
  else if (dataDirectory !== null) await checkDataDirectory('FAIR_BENCH_DATA_DIR', dataDirectory);
  checkOwnTables(targets);
  const connectors = await loadConnectors(targets.map(({ connector }) => connector));
  const urls = Object.fromEntries(
    targets.flatMap(({ target, url }) => (url === null ? [] : [[target, url]])),
  );
  const nodes = new Map(targets.map((one) => [one.target, one.nodes]));
  await checkEndpoints({ plan, workload, urls }, targets, connectors);
  const loadAgents = loadAgentsSetting(options);
  if (loadAgents !== null)
    await checkLoadAgents(loadAgents, root, Math.min(...plan.cells.map(({ sessions }) => sessions)));
  const dataRoot = options.dataDir ?? dataDirectory;
  return {
    root,
    directory,
    urls,
    nodes,
    dataDirectory: dataRoot === null ? null : resolve(dataRoot),
    connectors,
    workload,
    loadAgents,
  };
}

/** The user's endpoints and settings are tried before anything is started, because only the user can correct them. */
async function checkEndpoints(
  run: OptionsInput,
  targets: readonly TargetDefinition[],
  connectors: ReadonlyMap<string, LoadedConnector>,
): Promise<void> {
  const { plan, urls } = run;
  const definitionOf = (name: string) => targets.find(({ target }) => target === name);
  const beyond: Beyond[] = [];
  for (const target of plan.targets) {
    const connector = connectors.get(target.connector)?.connector;
    const url = urls[target.target];
    const settings = Object.entries(target.extra).map(([key, value]) => `${target.target}.${key}=${value}`);
    if (connector === undefined || (url === undefined && settings.length === 0)) continue;
    const availability = await probe(connector, targetOptions(run, target)).catch(
      (error: unknown): Availability => {
        if (url !== undefined) return { available: false, reason: messageOf(error), remedy: 'mend it' };
        throw badOption('set', settings.join(' '), `what the connector takes; ${messageOf(error)}`, {
          cause: error,
        });
      },
    );
    // Without a URL, an unavailable target is not bad input, and neither is a server that differs from its profile:
    // the run lists it with the reason.
    if (availability.available || url === undefined || isTuned(target)) continue;
    if (availability.fits !== undefined) {
      beyond.push({ target: target.target, reason: availability.reason, fits: availability.fits });
      continue;
    }
    if (definitionOf(target.target)?.configured === true) {
      throw new InputError(`${target.target}: ${availability.reason}; ${availability.remedy}`);
    }
    const accepts = `an endpoint that answers; ${target.target}: ${availability.reason}; ${availability.remedy}`;
    throw badOption('url', `${target.system}=${redactUrl(url)}`, accepts);
  }
  refuseBeyond(beyond);
}

/** A target for which an option of the run asks for more than its server gives. */
interface Beyond {
  readonly target: string;
  readonly reason: string;
  readonly fits: NonNullable<Extract<Availability, { available: false }>['fits']>;
}

/** Names the options that fit all of them. */
function refuseBeyond(beyond: readonly Beyond[]): void {
  if (beyond.length === 0) return;
  const options = (['sessions', 'poolSize'] as const).flatMap((option) => {
    const most = beyond.flatMap(({ fits }) => (fits.option === option ? [fits.most] : []));
    return most.length === 0 ? [] : [`${optionName(option)} ${Math.min(...most)}`];
  });
  const reasons = beyond.map(({ target, reason }) => `${target}: ${reason}`);
  throw new InputError(`${reasons.join('; ')}; run it with ${options.join(' ')}`);
}

function isTuned({ profile }: RunPlan['targets'][number]): boolean {
  return profile !== defaultTargetSettings.profile;
}
