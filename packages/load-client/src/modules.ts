import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConnectSession, Workload } from '@fair-bench/contract';
import type { TrialPlan } from '@fair-bench/results';
import { PlanError, reasonOf } from './errors.ts';

/** The parts of a workload that a load client uses; what its operations are, it need not know. */
export type LoadWorkload = Pick<
  Workload<unknown, unknown, unknown>,
  'name' | 'parseParameters' | 'createOperation' | 'createStream' | 'createLedger'
>;

export interface LoadModules {
  readonly connect: ConnectSession<unknown>;
  readonly workload: LoadWorkload;
  /** The workload's parameters, parsed by the workload. */
  readonly parameters: unknown;
}

/** Imports what the plan names and checks it; throws a PlanError that names the module and what it lacks. */
export async function loadModules(plan: TrialPlan): Promise<LoadModules> {
  if (plan.client.kind !== 'node') {
    throw new PlanError(`plan.client.kind: this is the Node load client, got "${plan.client.kind}"`);
  }
  const { name, module, parameters } = plan.workload;
  const client = await defaultExport(plan.client.module, 'plan.client.module');
  if (!isClientModule(client)) {
    throw new PlanError(
      `plan.client.module: the default export of ${plan.client.module} is no client module; ` +
        'it has to be { sessions: { <workload>: connect } }',
    );
  }
  const connect = client.sessions[name];
  if (connect === undefined) {
    const known = Object.keys(client.sessions).join(', ') || 'none';
    throw new PlanError(
      `plan.workload.name: ${plan.client.module} has no sessions for "${name}"; it has ${known}`,
    );
  }
  const workload = await defaultExport(module, 'plan.workload.module');
  if (!isWorkload(workload)) {
    throw new PlanError(
      `plan.workload.module: the default export of ${module} is no workload; ` +
        `it has to have a name and ${workloadFunctions.join(', ')}`,
    );
  }
  if (workload.name !== name) {
    throw new PlanError(`plan.workload.name: "${name}", but ${module} is the workload "${workload.name}"`);
  }
  return { connect, workload, parameters: parseParameters(workload, parameters) };
}

async function defaultExport(module: string, option: string): Promise<unknown> {
  const url = /^[a-z]+:/.test(module) && !isAbsolute(module) ? module : pathToFileURL(resolve(module)).href;
  try {
    const imported: unknown = await import(url);
    return isRecord(imported) ? imported['default'] : undefined;
  } catch (cause) {
    throw new PlanError(`${option}: ${module} cannot be imported: ${reasonOf(cause)}`, { cause });
  }
}

function parseParameters(workload: LoadWorkload, parameters: unknown): unknown {
  try {
    return workload.parseParameters(parameters);
  } catch (cause) {
    throw new PlanError(`plan.workload.parameters: ${reasonOf(cause)}`, { cause });
  }
}

interface LooseClientModule {
  readonly name: string;
  readonly sessions: Readonly<Record<string, ConnectSession<unknown>>>;
}

function isClientModule(value: unknown): value is LooseClientModule {
  if (!isRecord(value)) return false;
  const sessions = value['sessions'];
  return isRecord(sessions) && Object.values(sessions).every((connect) => typeof connect === 'function');
}

const workloadFunctions = ['parseParameters', 'createOperation', 'createStream', 'createLedger'] as const;

function isWorkload(value: unknown): value is LoadWorkload {
  if (!isRecord(value)) return false;
  return workloadFunctions.every((name) => typeof value[name] === 'function');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
