import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonObjectSchema, messageOf, targetNameSchema } from '@fair-bench/contract';
import { z } from 'zod';
import { writeWhole } from './files.ts';
import { machineFingerprintSchema, machineOf } from './noise-floor.ts';
import { modeSchema, workloadSha256Schema } from './run-plan.ts';
import { isChosen, type Search } from './search.ts';
import { parametersKey } from './settings/points.ts';
import { type RunSummary, runSummarySchema, selfBenchSummarySchema } from './summary.ts';

const indexFile = 'index.json';

const indexedCellSchema = z.strictObject({
  id: z.string(),
  target: targetNameSchema,
  /** Of the system, as it said live. */
  version: z.string(),
  workloadSha256: workloadSha256Schema,
  parameters: jsonObjectSchema,
  loop: z.string(),
  /** In optimized mode: whose best point it is, and by which rule it was chosen. */
  bestOf: z.string().optional(),
  /** Applied operations per second, one value per round; above 0. */
  trials: z.array(z.number().positive()).min(1),
});
export type IndexedCell = z.infer<typeof indexedCellSchema>;

/** A run in the index of `results/`: only cells with a number. */
const indexedRunSchema = z.strictObject({
  /** The run's folder in `results/`. */
  folder: z.string().min(1),
  /** When its summary was saved; if the time differs, the summary is read again. */
  savedAtMs: z.number(),
  startedAt: z.iso.datetime(),
  mode: modeSchema,
  machine: machineFingerprintSchema,
  /** Of this software; null outside a checkout. */
  commit: z.string().nullable(),
  warmupMs: z.number(),
  windowMs: z.number(),
  cells: z.array(indexedCellSchema),
});
export type IndexedRun = z.infer<typeof indexedRunSchema>;

const runIndexSchema = z.strictObject({ schemaVersion: z.literal(4), runs: z.array(indexedRunSchema) });

/** Earlier runs of the same workload on the same machine, as the run found them: an artifact of it. */
export const earlierRunsFile = 'earlier-runs.json';
export const earlierRunsSchema = z.array(indexedRunSchema);

interface RunIndex {
  /** The earliest first. */
  readonly runs: readonly IndexedRun[];
  /** Folders with an unusable summary, each with its reason. */
  readonly unreadable: readonly string[];
}

/**
 * The index of the runs in `results/`, updated: `index.json` is read, new runs are added from their summaries, and
 * the file is written again. A missing or broken index is rebuilt from the summaries. A missing folder has no runs.
 */
export async function readRunIndex(results: string): Promise<RunIndex> {
  const path = join(results, indexFile);
  const stored = await storedRuns(path);
  const names = await readdir(results).catch((): string[] => []);
  const found = await Promise.all(names.map((folder) => indexedRun(results, folder, stored)));
  const runs = found.flatMap((one) => (one.kind === 'run' ? [one.run] : [])).toSorted(byStart);
  const text = `${JSON.stringify({ schemaVersion: 4, runs })}\n`;
  if (runs.length > 0 && text !== stored.text) await writeWhole(path, text);
  return { runs, unreadable: found.flatMap((one) => (one.kind === 'unreadable' ? [one.reason] : [])) };
}

interface StoredRuns {
  readonly text: string | null;
  readonly byFolder: ReadonlyMap<string, IndexedRun>;
}

async function storedRuns(path: string): Promise<StoredRuns> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return { text, byFolder: new Map() };
  try {
    const { runs } = runIndexSchema.parse(JSON.parse(text));
    return { text, byFolder: new Map(runs.map((run) => [run.folder, run])) };
  } catch {
    // A broken index loses nothing: the summaries have everything.
    return { text, byFolder: new Map() };
  }
}

type Found =
  | { readonly kind: 'run'; readonly run: IndexedRun }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly reason: string };

async function indexedRun(results: string, folder: string, { byFolder }: StoredRuns): Promise<Found> {
  const path = join(results, folder, 'summary.json');
  const saved = await stat(path).catch(() => null);
  if (saved === null) return { kind: 'none' };
  const known = byFolder.get(folder);
  if (known?.savedAtMs === saved.mtimeMs) return { kind: 'run', run: known };
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (selfBenchSummarySchema.safeParse(value).success) return { kind: 'none' };
    return { kind: 'run', run: indexedRunOf(folder, saved.mtimeMs, runSummarySchema.parse(value)) };
  } catch (error) {
    const fact = error instanceof z.ZodError ? 'it is of another version' : messageOf(error);
    return { kind: 'unreadable', reason: `${path}: ${fact}` };
  }
}

/** A run's entry, with its folder and when its summary was saved. */
export function indexedRunOf(
  folder: string,
  savedAtMs: number,
  {
    run,
    cells,
    search = [],
  }: Pick<RunSummary, 'run' | 'cells'> & { readonly search?: readonly Search[] | undefined },
): IndexedRun {
  const { startedAt, mode, environment, workloadSha256, warmupMs, durationMs, loop } = run;
  const { git } = environment;
  return {
    folder,
    savedAtMs,
    startedAt,
    mode,
    machine: machineOf(environment),
    commit: git === null ? null : `${git.commit}${git.dirty ? '-dirty' : ''}`,
    warmupMs,
    windowMs: durationMs,
    cells: cells.flatMap((cell) => {
      if (cell.status !== 'ok' || cell.tps.trials.some((tps) => !(tps > 0))) return [];
      const { id, target, facts, parameters, tps } = cell;
      const { trials } = tps;
      const { version } = facts.system;
      const best = search.find((one) => isChosen(one, cell));
      const bestOf = best === undefined || cell.ratePerSecond !== undefined ? {} : { bestOf: ruleOf(best) };
      return [{ id, target, version, workloadSha256, parameters, loop, trials, ...bestOf }];
    }),
  };
}

function byStart(a: IndexedRun, b: IndexedRun): number {
  const [first, second] = [a, b].map(({ startedAt, folder }) => `${startedAt} ${folder}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}

/** Two searches of one system by one rule look for the same thing, at whichever points they find it. */
function ruleOf({ contest, durability, zone, p99MaxMs }: Search): string {
  const bound =
    p99MaxMs === undefined ? `within ${zone * 100} % of the fastest` : `p99 within ${p99MaxMs} ms`;
  return `best point of ${contest}, ${durability}, ${bound}`;
}

/**
 * The identity of a cell's work: equal texts mean equal work. A best point is the same work wherever it was found; in a
 * closed loop, whatever the rates of others.
 */
export function workOf({ id, workloadSha256, parameters, loop, bestOf }: IndexedCell): string {
  const work = bestOf === undefined ? [id, loop] : [bestOf];
  return JSON.stringify([...work, workloadSha256, parametersKey({ parameters })]);
}
