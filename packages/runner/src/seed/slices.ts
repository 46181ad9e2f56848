import type { ControlPlane, Deployment } from '@fair-bench/contract';
import type { Cell, RunPlan } from '@fair-bench/results';
import { type RowsBefore, type RowsLeft, type SessionSpan, wholeSpan } from '@fair-bench/workload';
import { seed, type Seeded, type SeedSetting } from './seed.ts';

/** A trial that is a part of one long load: which of its cell's slices, from 0, and how many there are. */
export interface SliceOf {
  readonly slice: number;
  readonly slices: number;
}

/** Which slice of its cell a round is; undefined in a run of other trials. */
export function sliceOf(
  { soak, rounds }: Pick<RunPlan, 'soak' | 'rounds'>,
  { id }: Pick<Cell, 'id'>,
  round: number,
): SliceOf | undefined {
  if (soak === undefined) return undefined;
  return { slice: rounds.slice(0, round).filter((ids) => ids.includes(id)).length, slices: soak.slices };
}

/**
 * The sessions of a trial. Each slice has sessions of its own, of one seed: no stream is drawn twice, and what is unique to a session
 * is unique in the whole load.
 */
export function sessionsOf({ sessions }: Pick<Cell, 'sessions'>, slice: SliceOf | undefined): SessionSpan {
  if (slice === undefined) return wholeSpan(sessions);
  return { first: slice.slice * sessions, count: sessions, all: slice.slices * sessions };
}

/** What the last slice left in each running target, and its tables. */
const leftIn = new WeakMap<object, { readonly seeded: Seeded; readonly before: RowsBefore }>();

/** The rows that a slice begins with: those that the one before left, or seeded ones where that is not known. */
export async function beginSlice(setting: SeedSetting): Promise<Seeded & { readonly isSeeded: boolean }> {
  const known = leftIn.get(setting.deployment);
  leftIn.delete(setting.deployment);
  if (known === undefined) return { ...(await seed(setting)), isSeeded: true };
  const { seeded, before } = known;
  return { ...seeded, workload: { ...seeded.workload, before }, isSeeded: false };
}

/** The next slice goes on from these rows. */
export function endSlice(deployment: Pick<Deployment, 'tables'>, seeded: Seeded, left: RowsLeft): void {
  leftIn.set(deployment, { seeded, before: left });
}

/** Where rows were read while a trial was audited, they are kept too. */
export async function* keeping(
  pages: ReturnType<ControlPlane['scan']>,
  table: number,
  left: RowsLeft | null,
): ReturnType<ControlPlane['scan']> {
  for await (const page of pages) {
    left?.take(table, page);
    yield page;
  }
}
