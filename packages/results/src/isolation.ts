import { typedCommand } from '@fair-bench/contract';
import { resultsFolder } from './folder.ts';
import { join } from 'node:path';
import {
  type Anomaly,
  anomalySchema,
  countSchema,
  forbiddenAt,
  type Isolation,
  isolationFindingSchema,
  isolationSchema,
  nameSchema,
} from '@fair-bench/contract';
import { z } from 'zod';
import { readStored, storeJson } from './files.ts';

/** What trials of a workload with versions showed of one route at one level: an entry of the stored table. */
export const observedIsolationSchema = z.strictObject({
  connector: nameSchema,
  system: z.string(),
  version: z.string(),
  level: isolationSchema,
  workload: nameSchema,
  /** The most operations that were outstanding: a lone session shows nothing. */
  outstandingMax: z.int().min(1),
  trials: z.int().min(1),
  operations: countSchema,
  anomalies: isolationFindingSchema.shape.anomalies,
  observedAt: z.iso.datetime(),
});
export type ObservedIsolation = z.infer<typeof observedIsolationSchema>;

/** A target's line of the summary. */
export const targetIsolationSchema = z.strictObject({
  target: z.string(),
  level: isolationSchema,
  /** Of this run's trials, else as stored by an earlier run of exactly this; null where there is neither. */
  observed: observedIsolationSchema.nullable(),
});
export type TargetIsolation = z.infer<typeof targetIsolationSchema>;

const storedSchema = z.strictObject({
  schemaVersion: z.literal(1),
  observed: z.array(observedIsolationSchema),
});

/** The file in which runs of a workload with versions keep what they saw for later runs. */
export function isolationFile(root: string): string {
  return join(resultsFolder(root), 'isolation.json');
}

/** Everything stored. For a broken file, rejects with the file, the fact and the remedy. */
export async function readIsolation(root: string): Promise<readonly ObservedIsolation[]> {
  const stored = await readStored(isolationFile(root), storedSchema, {
    what: 'table of observed isolation',
    remedy: `remove it, and run ${typedCommand('fair-bench', ['--workload', 'isolation'])} again`,
  });
  return stored?.observed ?? [];
}

/** Adds to the table; an entry replaces that of the same route, version and level. */
export async function storeIsolation(root: string, observed: readonly ObservedIsolation[]): Promise<string> {
  const all = [...(await readIsolation(root)), ...observed];
  const known = new Map(all.map((each) => [keyOf(each), each]));
  return await storeJson(isolationFile(root), { schemaVersion: 1, observed: [...known.values()] });
}

/** What an observation applies to. */
type IsolationOf = Pick<ObservedIsolation, 'connector' | 'system' | 'version' | 'level'>;

/** The observation of exactly this, or null. */
export function isolationOf(all: readonly ObservedIsolation[], of: IsolationOf): ObservedIsolation | null {
  return all.find((each) => keyOf(each) === keyOf(of)) ?? null;
}

function keyOf({ connector, system, version, level }: IsolationOf): string {
  return JSON.stringify([connector, system, version, level]);
}

/** `read committed`; PostgreSQL calls its snapshot isolation repeatable read. */
export const levelInWords = (level: Isolation): string =>
  level === 'snapshot' ? 'snapshot isolation' : level.replaceAll('-', ' ');

const anomalyWords: Readonly<Partial<Record<Anomaly, string>>> = {
  'lost-update': 'lost update',
  'stale-read': 'stale read',
  'real-time': 'real-time',
};
export const anomalyInWords = (anomaly: Anomaly): string => anomalyWords[anomaly] ?? anomaly;

/** `12 lost update, 3 G-single` */
export function anomaliesInWords(
  counts: ObservedIsolation['anomalies'],
  which: readonly Anomaly[] = anomalySchema.options,
): string {
  const seen = which.filter((anomaly) => counts[anomaly] > 0);
  return seen.map((anomaly) => `${counts[anomaly]} ${anomalyInWords(anomaly)}`).join(', ');
}

/** `read committed; observed: lost update, G-single`, `serializable; observed: no anomaly`, `…; not observed`. */
export function describeIsolation(level: Isolation, observed: ObservedIsolation | null): string {
  if (observed === null) return `${levelInWords(level)}; not observed`;
  const seen = anomalySchema.options.filter((anomaly) => observed.anomalies[anomaly] > 0);
  const names = seen.length === 0 ? 'no anomaly' : seen.map(anomalyInWords).join(', ');
  const { operations, outstandingMax, observedAt } = observed;
  const extent = `${operations.toLocaleString('en-US')} operations, ${outstandingMax} at a time, ${observedAt.slice(0, 10)}`;
  return `${levelInWords(level)}; observed: ${names} (${extent})`;
}

/** What was observed although the level forbids it. */
export function forbiddenSeen({
  level,
  anomalies,
}: Pick<ObservedIsolation, 'level' | 'anomalies'>): Anomaly[] {
  return forbiddenAt[level].filter((anomaly) => anomalies[anomaly] > 0);
}
