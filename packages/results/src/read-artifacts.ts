import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Environment, environmentSchema } from './environment.ts';
import { type Figure, type RunSummary, figureSchema, runSummarySchema } from './summary.ts';
import { readIfThere } from './files.ts';
import { type NoiseFloor, noiseFloorFile, noiseFloorSchema } from './noise-floor.ts';
import { type DurabilityEvidence, durabilityEvidenceSchema } from './durability.ts';
import { earlierRunsFile, earlierRunsSchema, type IndexedRun } from './run-index.ts';
import { type RunPlan, runPlanSchema } from './run-plan.ts';
import { type FaultTrial, faultTrialSchema } from './injected-fault.ts';
import { type Search, searchSchema } from './search.ts';
import { z } from 'zod';
import { type Question, claimDesignSchema, explainDesignSchema } from './question.ts';
import { InputError, firstIssue, messageOf, parseJson } from '@fair-bench/contract';
import {
  type TargetOutcome,
  targetOutcomeSchema,
  type UnavailableCell,
  unavailableCellSchema,
} from './target-outcome.ts';
import { type TrialRecord, trialRecordSchema } from './trial-record.ts';

/** `run.json`: when the run started and ended, and whether it was interrupted. */
const runTimesSchema = z.strictObject({
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  interrupted: z.boolean(),
});

/** The artifacts of a run, from which its summary is made. */
export interface SummaryInput {
  readonly plan: RunPlan;
  readonly environment: Environment;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly interrupted: boolean;
  readonly targets: readonly TargetOutcome[];
  readonly trials: readonly TrialRecord[];
  /** Trials in which a fault was injected. */
  readonly faultTrials?: readonly FaultTrial[];
  /** Cells of available targets whose load client is unavailable. */
  readonly unavailableCells?: readonly UnavailableCell[];
  /** Of optimized mode. */
  readonly search?: readonly Search[];
  /** What the run answers beside its cells. */
  readonly question?: Question;
  /** What is known of the targets' durability besides their facts. */
  readonly durability: readonly DurabilityEvidence[];
  /** Of the harness's own bench. */
  readonly figures?: readonly Figure[];
  /** The noise floor of this machine. */
  readonly noiseFloor?: NoiseFloor;
  /** Runs before this one on this machine, of the same workload. */
  readonly earlierRuns?: readonly IndexedRun[];
}

/**
 * Reads a run's artifacts from its folder, each file through its schema. Rejects with an InputError that names a
 * missing or broken file.
 */
export async function readArtifacts(directory: string): Promise<SummaryInput> {
  const plan = await readPlan(directory);
  const environment = await readJson(directory, 'environment.json', environmentSchema);
  const targets = await readJson(directory, 'targets.json', z.array(targetOutcomeSchema));
  const trials = await readRecords(directory, 'trials', trialRecordSchema);
  const times =
    (await readOptionalJson(directory, 'run.json', runTimesSchema)) ??
    (await timesOfKilled(directory, trials));
  const faultTrials =
    plan.faults === undefined ? [] : await readRecords(directory, 'faults', faultTrialSchema);
  const figures = await readOptionalJson(directory, 'figures.json', z.array(figureSchema));
  const search = await readOptionalJson(directory, 'search.json', z.array(searchSchema));
  const noiseFloor = await readOptionalJson(directory, noiseFloorFile, noiseFloorSchema);
  const earlierRuns = await readOptionalJson(directory, earlierRunsFile, earlierRunsSchema);
  const durability = await readJson(directory, 'durability.json', z.array(durabilityEvidenceSchema));
  const explain = await readOptionalJson(directory, 'explain.json', explainDesignSchema);
  const claim = await readOptionalJson(directory, 'claim.json', claimDesignSchema);
  const question = { ...(explain === null ? {} : { explain }), ...(claim === null ? {} : { claim }) };
  const unavailable = z.array(unavailableCellSchema);
  const unavailableCells = await readOptionalJson(directory, 'unavailable-cells.json', unavailable);
  return {
    plan,
    environment,
    targets,
    trials,
    ...(faultTrials.length === 0 ? {} : { faultTrials }),
    durability,
    ...times,
    question,
    ...(earlierRuns === null ? {} : { earlierRuns }),
    ...(figures === null ? {} : { figures }),
    ...(search === null ? {} : { search }),
    ...(noiseFloor === null ? {} : { noiseFloor }),
    ...(unavailableCells === null ? {} : { unavailableCells }),
  };
}

/** A run that was killed has not said when it ended: its last trial did. */
async function timesOfKilled(
  directory: string,
  trials: readonly TrialRecord[],
): Promise<z.infer<typeof runTimesSchema>> {
  const { birthtime } = await stat(directory);
  const ends = trials.flatMap((trial) => {
    if (trial.status !== 'ok') return [];
    const { startedAt, warmupMs, windowMs, drainMs } = trial.result.timing;
    return [Date.parse(startedAt) + warmupMs + windowMs + drainMs];
  });
  const endedAt = new Date(Math.max(birthtime.getTime(), ...ends)).toISOString();
  return { startedAt: birthtime.toISOString(), endedAt, interrupted: true };
}

/** What a run of optimized mode searched, under the plan of its search; null if it has not searched. */
export async function readSearchOf(
  directory: string,
): Promise<{ plan: RunPlan; environment: Environment; search: readonly Search[] } | null> {
  const search = await readOptionalJson(directory, 'search.json', z.array(searchSchema));
  if (search === null || search.length === 0) return null;
  const plan = await readJson(directory, 'search/plan.json', runPlanSchema);
  return { plan, environment: await readJson(directory, 'environment.json', environmentSchema), search };
}

export async function readPlan(directory: string): Promise<RunPlan> {
  return await readJson(directory, 'plan.json', runPlanSchema);
}

/** Null for a run that was killed before it had one. */
export async function readSavedSummary(directory: string): Promise<RunSummary | null> {
  return await readOptionalJson(directory, 'summary.json', runSummarySchema);
}

export async function readSummary(directory: string): Promise<RunSummary> {
  return await readJson(directory, 'summary.json', runSummarySchema);
}

/** Each file of a folder of the run. */
async function readRecords<T>(directory: string, folder: string, schema: z.ZodType<T>): Promise<T[]> {
  const names = await readdir(join(directory, folder)).catch((error: unknown) => {
    throw new InputError(`RUN: ${join(directory, folder)} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  });
  const files = names.filter((name) => name.endsWith('.json')).toSorted();
  return await Promise.all(files.map((name) => readJson(directory, join(folder, name), schema)));
}

async function readJson<T>(directory: string, file: string, schema: z.ZodType<T>): Promise<T> {
  const value = await readOptionalJson(directory, file, schema);
  if (value === null)
    throw new InputError(`RUN: ${directory} has no ${file}: it is not the folder of a complete run`);
  return value;
}

/** Null when there is no such file. */
async function readOptionalJson<T>(directory: string, file: string, schema: z.ZodType<T>): Promise<T | null> {
  const path = join(directory, file);
  const text = await readIfThere(path).catch((cause: unknown) => {
    throw new InputError(`RUN: ${messageOf(cause)}`, { cause });
  });
  if (text === null) return null;
  const parsed = schema.safeParse(parseJson(text, `RUN: ${path}`));
  if (parsed.success) return parsed.data;
  throw new InputError(`RUN: ${path} does not match this version: ${firstIssue(parsed.error)}`, {
    cause: parsed.error,
  });
}
