import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ClientModule, messageOf } from '@fair-bench/contract';
import type { TrialPlan } from '@fair-bench/results/protocol';
import { parsePlanned, type PlannedWorkload, valuesFromJson } from '@fair-bench/workload/client';
import { PlanError } from './errors.ts';
import type { Canary } from './loop/canaries.ts';

/** The parts of a plan's trial. */
export interface LoadModules {
  readonly client: ClientModule;
  readonly workload: PlannedWorkload;
  readonly canaries: readonly Canary[];
}

/** Imports the client module that the plan names and checks its workload; throws a PlanError that names the field. */
export async function loadModules(plan: TrialPlan): Promise<LoadModules> {
  if (plan.client.kind !== 'node') {
    throw new PlanError(`plan.client.kind: this is the Node load client, got "${plan.client.kind}"`);
  }
  const client = await importClient(plan.client.module).catch((cause: unknown) => {
    throw new PlanError(`plan.client.module: ${messageOf(cause)}`, { cause });
  });
  const workload = workloadOf(plan);
  return { client, workload, canaries: canariesOf(plan, workload) };
}

function canariesOf({ canaries }: TrialPlan, { operations }: PlannedWorkload): readonly Canary[] {
  return canaries.map(([operation, ...values], number) => {
    const all = operations[operation]?.arguments;
    try {
      if (all === undefined) throw new Error(`the workload has no operation ${operation}`);
      return { number, operation, values: valuesFromJson(all, values) };
    } catch (cause) {
      throw new PlanError(`plan.canaries.${number}: ${messageOf(cause)}`, { cause });
    }
  });
}

function workloadOf({ workload }: TrialPlan): PlannedWorkload {
  try {
    return parsePlanned(workload, 'plan.workload');
  } catch (cause) {
    throw new PlanError(messageOf(cause), { cause });
  }
}

/** Imports a client module, by its path or URL. The error says what its default export must be. */
export async function importClient(module: string): Promise<ClientModule> {
  const url = /^[a-z]+:/.test(module) && !isAbsolute(module) ? module : pathToFileURL(resolve(module)).href;
  const imported: unknown = await import(url).catch((cause: unknown) => {
    throw new Error(`${module} cannot be imported: ${messageOf(cause)}`, { cause });
  });
  const client = isRecord(imported) ? imported['default'] : undefined;
  if (isClientModule(client)) return client;
  throw new Error(
    `the default export of ${module} is not a client module; it must be defineClient({ connect })`,
  );
}

function isClientModule(value: unknown): value is ClientModule {
  return isRecord(value) && typeof value['connect'] === 'function';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
