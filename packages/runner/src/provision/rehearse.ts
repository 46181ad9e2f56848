import { readdir } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import {
  type ClientModule,
  type DataPlane,
  type Deployment,
  type Fault,
  type FaultCode,
  bindingStems,
  InputError,
  messageOf,
} from '@fair-bench/contract';
import {
  boundaryCases,
  createSeededModel,
  outcomeDifference,
  shapeOf,
  shortText,
  smallParameters,
  tableDifferences,
} from '@fair-bench/workload';
import { closeSessions, importClient, unlessAborted } from '@fair-bench/load-client';
import type { Contention } from '@fair-bench/results';
import type { LoadedWorkload } from '../discover/workload.ts';
import type { FoundConnector } from '../discover/workspace.ts';
import { bounded, seed, type Seeded } from '../seed/seed.ts';
import { contend } from './contend.ts';

/** The time limit of rehearsing one target: later cases are left to the audit. */
const rehearsalMsMax = 10_000;
const connectMsMax = 10_000;
/** A session that has not answered an operation by then never will. */
const answerMsMax = 10_000;

/** Faults that do not concern the binding but the server or the network; the trial reports them. */
const passing: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'timeout',
  'connection-lost',
  'connection-refused',
  'serialization-failure',
  'deadlock',
  'overloaded',
]);

interface Rehearsal {
  readonly target: string;
  readonly found: FoundConnector;
  readonly deployment: Deployment;
  readonly workload: LoadedWorkload;
  /** Whether the user named the server, so that something may stand before it. */
  readonly byUrl: boolean;
  /** Whether its tables are the user's own, whose columns need not take every value. */
  readonly hasOwnTables: boolean;
  /** As many as the target was started for. */
  readonly sessionsMax: number;
  readonly signal: AbortSignal;
}

/**
 * Executes the boundary cases of every operation, one at a time and before anything is timed; then many operations at
 * once. If a binding fails where its description says applied or declined, or the audit finds a difference from the
 * description after the latter, an InputError names what can have done it: an error that the client raises is the
 * binding's, and rows or outcomes that differ may be anyone's on the way. The audits of trials find others.
 */
export async function rehearse(rehearsal: Rehearsal): Promise<Contention> {
  const { found, workload } = rehearsal;
  const file = found.manifest.application
    ? `the application of ${rehearsal.target}`
    : await bindingFile(workload.folder, found);
  const { nodeClientPath } = found;
  if (file === null) return { status: 'not-observed', reason: 'the target has no binding of its own' };
  if (nodeClientPath === null)
    return { status: 'not-observed', reason: 'the Node load client has no route to it' };
  const client = await importClient(nodeClientPath);
  await rehearseBoundaries(rehearsal, file, client);
  const contended = await contend({ ...rehearsal, client, description: workload.description });
  if (contended.status === 'failed') throw suspected(rehearsal, file, contended.reason);
  return contended;
}

async function rehearseBoundaries(rehearsal: Rehearsal, file: string, client: ClientModule): Promise<void> {
  const { target, deployment, workload, signal } = rehearsal;
  const parameters = smallParameters(workload.description);
  const cell = { target, parameters };
  const reseed = (): Promise<Seeded> => seed({ cell, workload: workload.description, deployment, signal });
  const seeded = await reseed();
  const context = {
    index: 0,
    depth: 1,
    signal: bounded(signal, connectMsMax),
    workload: shapeOf(seeded.workload),
  };
  const session = await client.connect(deployment.endpoint, context).catch((error: unknown) => {
    throw mistake(file, `${target} cannot use it: ${messageOf(error)}`);
  });
  const within = bounded(signal, rehearsalMsMax);
  try {
    const stage = { rehearsal, file, session, seeded, within };
    if ((await firstDifference(stage, false)) === null) return;
    // What it wrote before may be why: the same again, up to the first row that differs.
    await reseed();
    const difference = await firstDifference(stage, true);
    if (difference !== null) throw suspected(rehearsal, file, `operation ${difference}`);
  } finally {
    await closeSessions([session]);
  }
}

interface Stage {
  readonly rehearsal: Rehearsal;
  readonly file: string;
  readonly session: DataPlane;
  readonly seeded: Seeded;
  readonly within: AbortSignal;
}

/** What comes out otherwise than the model has it; null where nothing does or, with `comparesRows`, where rows differ first. */
async function firstDifference(
  { rehearsal, file, session, seeded, within }: Stage,
  comparesRows: boolean,
): Promise<string | null> {
  const { workload, tables } = seeded;
  const { model, store } = createSeededModel(workload);
  for (const one of boundaryCases(model, store, rehearsal.hasOwnTables ? 'own' : 'all')) {
    if (within.aborted) return null;
    const operation = workload.operations[one.operation];
    const { signal } = rehearsal;
    const answered = bounded(signal, answerMsMax);
    const outcome = await unlessAborted(session.execute(one.operation, one.values), answered).catch(
      (error: unknown) => {
        if (!answered.aborted || signal.aborted) throw error;
        const fact = `operation ${operation?.name}: no answer within ${answerMsMax / 1000} s`;
        throw suspected(rehearsal, file, `${fact} with ${shortText(one.values)}`);
      },
    );
    if (outcome.kind === 'fault') {
      if (!passing.has(outcome.code)) throw mistake(file, failureOf(operation?.name ?? '', outcome));
      if (comparesRows) return null;
      continue;
    }
    const difference = outcomeDifference(workload, store, one, outcome);
    if (difference !== null) return `${difference} with ${shortText(one.values)}`;
    if (!comparesRows || one.expected.kind !== 'applied' || operation?.writes !== true) continue;
    for (const table of workload.tables) {
      const pages = await Array.fromAsync(tables.scan(table.number, within));
      if (tableDifferences(table, store.rows(table.number), pages.flat()).length > 0) return null;
    }
  }
  return null;
}

function failureOf(operation: string, { code, message }: Fault): string {
  return `operation ${operation}: ${message} (${code})`;
}

function mistake(file: string, fact: string): InputError {
  return new InputError(`${file}: ${fact}; correct it, or the description beside it`);
}

/** Each part between the load client and the rows that can have caused a difference, with what tells it apart. */
function suspected({ target, found, byUrl }: Rehearsal, file: string, fact: string): InputError {
  const kit = `npm run test:only -- ${dirname(found.manifestPath)}`;
  const carriers = found.manifest.application
    ? [`${file}, its mapping in app.operations, or the workload's description: compare them`]
    : [
        `the binding ${file}, or the description beside it: compare the two; \`${kit}\` tests the binding on a server of its own`,
        'the client library: if that test fails and the binding is correct, or another route to the same server passes',
      ];
  const suspects = [
    ...carriers,
    ...(byUrl
      ? [
          'a proxy or pooler at the URL: if a run with the URL of the server itself passes',
          'the server at the URL: if the server itself fails, and a run without --url passes',
        ]
      : ['the server: if every route to it fails']),
  ];
  const listed = suspects.map((suspect) => `\n- ${suspect}`).join('');
  return new InputError(`${target}: ${fact}. Any of these can have caused it:${listed}`);
}

/**
 * What carries the operations out: the workload's file for a route, else for its system, or its family; the connector itself where it
 * needs no file; null for a calibration target.
 */
async function bindingFile(
  folder: string,
  { manifest, manifestPath }: FoundConnector,
): Promise<string | null> {
  const files = await readdir(folder);
  for (const stem of bindingStems(manifest)) {
    const file = files.find((one) => parse(one).name === stem);
    if (file !== undefined) return join(folder, file);
  }
  return manifest.bindings ? null : dirname(manifestPath);
}
