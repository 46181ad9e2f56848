import type { JsonObject, Row } from '@fair-bench/contract';
import { type TrialPlan, trialPlanSchema } from '@fair-bench/results';
import {
  type Canary,
  drawCanaries,
  valueToJson,
  type Workload,
  type WorkloadDescription,
} from '@fair-bench/workload';

/** The normal distance of canaries; smaller in a short window, larger in a long one. */
const canaryEveryMs = 250;
const canaryEveryMsMin = 50;
const canariesMin = 6;
const canariesMax = 64;

const canariesSchema = trialPlanSchema.shape.canaries;

/** How many canaries a window has; one that is lengthened spreads them more widely. */
function countOf(windowMs: number): number {
  const wanted = Math.max(canaryEveryMsMin, Math.min(canaryEveryMs, windowMs / canariesMin));
  const everyMs = Math.ceil(Math.max(wanted, windowMs / canariesMax));
  return Math.floor(windowMs / everyMs);
}

/** The canaries of a window; none if every operation of the workload touches rows of the load. */
export function canariesOf(
  description: WorkloadDescription,
  parameters: JsonObject,
  windowMs: number,
): readonly Canary[] {
  return drawCanaries(description, parameters, countOf(windowMs));
}

/** In the form that the load client receives. */
export function plannedCanaries(all: readonly Canary[]): TrialPlan['canaries'] {
  return canariesSchema.parse(all.map(({ operation, values }) => [operation, ...values.map(valueToJson)]));
}

/** The rows of a table except those of the canaries. */
export async function* withoutCanaries(
  pages: AsyncIterable<readonly Row[]>,
  { tables }: Workload,
  table: number,
  canaries: readonly Canary[],
): AsyncIterable<readonly Row[]> {
  const width = tables[table]?.keyColumns;
  const keyOf = (row: readonly unknown[]): string => row.slice(0, width).join(' ');
  const touched = canaries.flatMap(({ seeded, expected }) => [...seeded, ...expected]);
  const keys = new Set(touched.filter((each) => each.table === table).map(({ row }) => keyOf(row)));
  const firsts = new Set(touched.filter((each) => each.table === table).map(({ row }) => row[0]));
  for await (const page of pages) {
    yield firsts.size === 0 ? page : page.filter((row) => !firsts.has(row[0] ?? 0) || !keys.has(keyOf(row)));
  }
}
