import { join, resolve } from 'node:path';
import type { RunPlan } from '@fair-bench/contract';
import {
  discover,
  loadConnector,
  loadWorkload,
  type Catalog,
  type LoadedWorkload,
} from '../discover/index.ts';
import { messageOf } from '../error-message.ts';
import { badOption, InputError } from '../input-error.ts';
import { buildPlan, redactUrl, targetOptions } from '../plan/index.ts';
import { chosenTargets, type TargetDefinition } from '../targets/index.ts';
import { createDisplay } from './display.ts';
import { exitCodeOfRun, type ExitCode } from './exit-codes.ts';
import { checkDataDirectory, checkResultsDirectory, makeResultsDirectory, runId } from './folders.ts';
import { listenForInterruption } from './interruption.ts';
import { probe } from './probe.ts';
import type { LoadedConnector, RunContext } from './run-context.ts';
import type { RunOptions } from './run-options.ts';

/** The one workload that there is an option set for. */
const workloadName = 'transfer';
/** What a trial takes beside its warm-up and window, for the first estimate of the time left. */
const trialOverheadMs = 2000;

export interface RunCommandInput {
  readonly root: string;
  readonly options: RunOptions;
  /** The command's name and its arguments, for the record. */
  readonly command: readonly string[];
  /** The data directory that the environment names; the option overrules it. */
  readonly dataDirectory: string | null;
}

/** Everything up to the moment from which something is started or written. */
interface PreparedRun {
  readonly plan: RunPlan;
  readonly directory: string;
  readonly context: Omit<RunContext, 'display' | 'signal'>;
}

/** `fair-bench` and `bench`: validates, then measures. InputErrors come before anything is started or made. */
export async function runCommand(input: RunCommandInput): Promise<ExitCode> {
  const { plan, directory, context } = await prepareRun(input);
  await makeResultsDirectory(directory);
  // Loaded only now, so that bad input is answered at once.
  const { runBenchmark } = await import('../pipeline.ts');
  const { renderTerminal, terminalOptions } = await import('../report/index.ts');
  const interruption = listenForInterruption((line) => process.stderr.write(`fair-bench: ${line}\n`));
  const { warmupMs, windowMs } = plan.timing;
  const display = createDisplay(process.stdout, warmupMs + windowMs + trialOverheadMs);
  try {
    display.message(announcement(plan, directory));
    const summary = await runBenchmark(plan, { ...context, display, signal: interruption.signal });
    display.close();
    process.stdout.write(
      `${renderTerminal(summary, terminalOptions(process.stdout))}\nresults in ${directory}\n`,
    );
    const required = new Set(
      input.options.systems === undefined ? [] : plan.targets.map(({ target }) => target),
    );
    return exitCodeOfRun(summary, { strict: input.options.strict, required });
  } finally {
    display.close();
    interruption.dispose();
  }
}

async function prepareRun({ root, options, command, dataDirectory }: RunCommandInput): Promise<PreparedRun> {
  refuseModesWithoutMeans(options);
  const catalog = await discover(root);
  const workload = await workloadOf(catalog);
  const id = runId(options.mode, new Date());
  const targets = chosenTargets(catalog, options, workload.found.name);
  const plan = buildPlan({ id, command, options, targets, workload });
  const directory = resolve(options.out ?? join(root, 'results', id));
  await checkResultsDirectory(directory);
  await checkDataDirectories(options, dataDirectory);
  const connectors = await connectorsOf(targets);
  const urls = Object.fromEntries(
    targets.flatMap(({ target, url }) => (url === null ? [] : [[target, url]])),
  );
  await checkEndpoints(plan, connectors, urls);
  const dataRoot = options.dataDir ?? dataDirectory;
  const context = {
    root,
    directory,
    urls,
    dataDirectory: dataRoot === null ? null : resolve(dataRoot),
    connectors,
    workload,
  };
  return { plan, directory, context };
}

function announcement({ cells, rounds, timing }: RunPlan, directory: string): string {
  const trials = cells.length * rounds.length;
  const seconds = Math.ceil((trials * (timing.warmupMs + timing.windowMs + trialOverheadMs)) / 1000);
  return `cells: ${cells.length}, rounds: ${rounds.length}, trials: ${trials}, about ${seconds} s; results in ${directory}`;
}

function refuseModesWithoutMeans({ mode, claim }: RunOptions): void {
  if (claim !== undefined && mode !== 'published') {
    throw new InputError(
      `--claim: got "${claim}" with --mode ${mode}; accepts a claim with --mode published alone`,
    );
  }
  if (mode === 'optimized') {
    throw new InputError(
      '--mode: got "optimized"; accepts fair: optimized needs a native load client, and there is none',
    );
  }
  if (mode === 'published') {
    throw new InputError(
      '--mode: got "published"; accepts fair: published needs claims as data, and there are none',
    );
  }
}

async function workloadOf(catalog: Catalog): Promise<LoadedWorkload> {
  const found = catalog.workloads.find(({ name }) => name === workloadName);
  if (found === undefined)
    throw new InputError(`workload: no package announces the workload "${workloadName}"`);
  return await loadWorkload(found);
}

async function checkDataDirectories(options: RunOptions, fromEnvironment: string | null): Promise<void> {
  if (options.dataDir !== undefined) await checkDataDirectory('--data-dir', options.dataDir);
  else if (fromEnvironment !== null) await checkDataDirectory('FAIR_BENCH_DATA_DIR', fromEnvironment);
}

async function connectorsOf(
  targets: readonly TargetDefinition[],
): Promise<ReadonlyMap<string, LoadedConnector>> {
  const connectors = new Map<string, LoadedConnector>();
  for (const { connector: found } of targets) {
    connectors.set(found.name, { found, connector: await loadConnector(found) });
  }
  return connectors;
}

/** Endpoints and settings of the user's are tried before anything is started: they are for the user to mend. */
async function checkEndpoints(
  plan: RunPlan,
  connectors: ReadonlyMap<string, LoadedConnector>,
  urls: Readonly<Record<string, string>>,
): Promise<void> {
  for (const target of plan.targets) {
    const connector = connectors.get(target.connector)?.connector;
    const url = urls[target.target];
    const settings = Object.entries(target.extra).map(([key, value]) => `${target.target}.${key}=${value}`);
    if (connector === undefined || (url === undefined && settings.length === 0)) continue;
    const availability = await probe(connector, targetOptions(plan, target, urls)).catch((error: unknown) => {
      if (url !== undefined)
        return { available: false, reason: messageOf(error), remedy: 'mend it' } as const;
      throw badOption('set', settings.join(' '), `what the connector takes; ${messageOf(error)}`, {
        cause: error,
      });
    });
    // Without a URL an unavailable target is no bad input: the run lists it with its reason.
    if (availability.available || url === undefined) continue;
    const accepts = `an endpoint that answers; ${target.target}: ${availability.reason}; ${availability.remedy}`;
    throw badOption('url', `${target.system}=${redactUrl(url)}`, accepts);
  }
}
