import { writeFile, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { badOption } from '@fair-bench/contract';
import { byHandPath, type LoadClientCommand } from '@fair-bench/load-client';
import { type Cell, loopOf, type RunPlan } from '@fair-bench/results';
import { LoadClients } from '../measure/load-clients.ts';
import { seed } from '../seed/seed.ts';
import { trialPlan } from '../measure/trial-plan.ts';
import { suggestion } from '../options/nearest.ts';
import { openWorkbench, type Workbench } from '../run/workbench.ts';
import type { PreparedRun } from './run-and-report.ts';
import { linesOnly } from './display.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { listenForInterruption } from './interruption.ts';

const prepareTimeoutMs = 30_000;

/** The cell with that id. The InputError for an unknown one lists the ids. */
export function cellNamed({ cells }: RunPlan, id: string): Cell {
  const cell = cells.find((one) => one.id === id);
  if (cell !== undefined) return cell;
  const ids = cells.map((one) => one.id);
  throw badOption('print-plan', id, `a cell of this run: ${ids.join(', ')}${suggestion(id, ids)}`);
}

/**
 * Starts and seeds the target of one cell, and prints the plan for its load client as a command of the protocol: one
 * line of JSON. Standard error says how to run the trial. The target runs until the user interrupts or standard
 * input ends; then nothing is left.
 */
export async function printTrialPlan(
  { plan, context }: Pick<PreparedRun, 'plan' | 'context'>,
  cellId: string,
): Promise<ExitCode> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'fair-bench-plan-'));
  const directory = folder.path;
  const interruption = listenForInterruption(() => {});
  // The signal aborts only the start; a running target is closed cleanly.
  const starting = new AbortController();
  const abort = (): void => starting.abort(interruption.signal.reason);
  interruption.signal.addEventListener('abort', abort, { once: true });
  const { signal } = starting;
  const run = { ...context, directory, signal, display: linesOnly(say) };
  try {
    await using bench = await openWorkbench(plan, run);
    const trial = await start(plan, bench, cellNamed(plan, cellId));
    if (typeof trial === 'string') {
      say(trial);
      return signal.aborted ? exitCodes.interrupted : exitCodes.void;
    }
    interruption.signal.removeEventListener('abort', abort);
    const file = join(directory, 'trial-plan.json');
    await writeFile(file, JSON.stringify(trial.plan));
    process.stdout.write(`${JSON.stringify({ type: 'plan', plan: trial.plan })}\n`);
    say(`${cellId}: the target runs until Ctrl-C or the end of standard input; one trial of it:`);
    const { client } = trial;
    say(shellWords([process.execPath, byHandPath, file, client.command, ...client.arguments]));
    await endOf(process.stdin, interruption.signal);
    return exitCodes.ok;
  } finally {
    interruption.dispose();
  }
}

interface Trial {
  readonly plan: object;
  readonly client: LoadClientCommand;
}

/** The trial on a running target, or the reason why not. */
async function start(
  plan: RunPlan,
  { context, targets, artifacts }: Workbench,
  cell: Cell,
): Promise<Trial | string> {
  const { signal } = context;
  const target = plan.targets.find((one) => one.target === cell.target);
  if (target === undefined) throw new Error(`${cell.target}: not a target of this plan`);
  const options = { root: context.root, signal, onProgress: say };
  const client = (await LoadClients.prepare([cell], plan, context.connectors, options)).of(cell);
  if (!client.available) return `${cell.id}: ${client.reason}; ${client.remedy}`;
  const state = await targets.provision(target);
  if (state.status === 'interrupted') return `${cell.id}: interrupted`;
  if (state.status === 'unavailable') return `${cell.target}: ${state.reason}; ${state.remedy}`;
  const deployment = await targets.ensure(cell.target);
  const { description } = context.workload;
  await seed({ cell, workload: description, deployment, signal });
  await deployment.prepare(AbortSignal.any([signal, AbortSignal.timeout(prepareTimeoutMs)]));
  const paths = { client: client.client, log: artifacts.path('log') };
  const run = { ...plan, loop: loopOf(plan, cell) };
  const printed = trialPlan({ run, description }, cell, `${plan.id}/${cell.id}`, deployment.endpoint, paths);
  return { plan: printed, client: client.command };
}

async function endOf(input: NodeJS.ReadStream, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  input
    .once('end', resolve)
    .once('error', () => resolve())
    .resume();
  await promise;
  input.pause();
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Words quoted for a POSIX shell. */
function shellWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}
