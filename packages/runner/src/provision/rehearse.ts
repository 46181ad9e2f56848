import { readdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { type Deployment, type Fault, type FaultCode, InputError, messageOf } from '@fair-bench/contract';
import { boundaryCases, createSeededModel, shapeOf, smallParameters } from '@fair-bench/workload';
import { importClient } from '../discover/client-module.ts';
import type { LoadedWorkload } from '../discover/workload.ts';
import type { FoundConnector } from '../discover/workspace.ts';
import { bounded, seed } from '../seed/seed.ts';

/** How long rehearsing one target may take: cases that come later are left to the audit. */
const rehearsalMsMax = 10_000;
const connectMsMax = 10_000;

/** Faults that say nothing of the binding: the server or the network is at fault, and the trial says so. */
const passing: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'timeout',
  'connection-lost',
  'connection-refused',
  'serialization-failure',
  'deadlock',
  'overloaded',
]);

export interface Rehearsal {
  readonly target: string;
  readonly found: FoundConnector;
  readonly deployment: Deployment;
  readonly workload: LoadedWorkload;
  readonly signal: AbortSignal;
}

/**
 * Carries out the boundary cases of every operation, one at a time and before anything is timed. An InputError names
 * the binding's file, the operation and what went wrong, when the binding fails where its description says that it is
 * applied or declined. That it does something else than its description says is the audit's to find.
 */
export async function rehearse(rehearsal: Rehearsal): Promise<void> {
  const { target, found, deployment, workload, signal } = rehearsal;
  const file = await bindingFile(workload.folder, found);
  const { nodeClientPath } = found;
  if (file === null || nodeClientPath === null) return;
  const client = await importClient(nodeClientPath);
  const parameters = smallParameters(workload.description);
  const cell = { target, parameters };
  const seeded = await seed({ cell, workload: workload.description, deployment, signal });
  const { model, store } = createSeededModel(seeded.workload);
  const context = {
    index: 0,
    depth: 1,
    signal: bounded(signal, connectMsMax),
    workload: shapeOf(seeded.workload),
  };
  const session = await client.connect(deployment.endpoint, context).catch((error: unknown) => {
    throw mistake(file, `${target} cannot use it: ${messageOf(error)}`);
  });
  const endsAtMs = performance.now() + rehearsalMsMax;
  try {
    for (const { operation, values } of boundaryCases(model, store)) {
      if (signal.aborted || performance.now() > endsAtMs) return;
      const outcome = await session.execute(operation, values);
      if (outcome.kind !== 'fault' || passing.has(outcome.code)) continue;
      const name = workload.description.operations[operation]?.name ?? String(operation);
      throw mistake(file, failureOf(name, outcome));
    }
  } finally {
    await session.close();
  }
}

function failureOf(operation: string, { code, message }: Fault): string {
  return `operation ${operation}: ${message} (${code})`;
}

function mistake(file: string, fact: string): InputError {
  return new InputError(`${file}: ${fact}; correct it, or the description beside it`);
}

/** The workload's file for a route, else for its system; null for a system that needs none. */
async function bindingFile(folder: string, { name, manifest }: FoundConnector): Promise<string | null> {
  const files = await readdir(folder);
  for (const stem of [name, manifest.system]) {
    const file = files.find((one) => parse(one).name === stem);
    if (file !== undefined) return join(folder, file);
  }
  return null;
}
