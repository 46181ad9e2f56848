import { badOption } from '@fair-bench/contract';
import type { RunPlan } from '@fair-bench/results';
import { resolveWorkload, whyNotContinued, type WorkloadDescription } from '@fair-bench/workload';
import type { SoakSetting } from '../options/soak-options.ts';
import { orderRounds } from './order-rounds.ts';

/** Sessions of all slices together: beyond them are those of operations beside a load. */
const sessionsMax = 2 ** 17;

/** The slices of all cells: those of one after those of another, or in turn. */
export function orderSlices(
  blocks: readonly (readonly string[])[],
  { slices, isInterleaved }: SoakSetting,
  seed: string,
): string[][] {
  if (isInterleaved) return orderRounds(blocks, slices, seed);
  return blocks.flat().flatMap((id) => Array.from({ length: slices }, () => [id]));
}

/** An InputError names what no load can go on from, slice by slice. */
export function refuseSlices({ soak, cells }: RunPlan, description: WorkloadDescription): void {
  if (soak === undefined) return;
  for (const { workload, parameters, sessions } of cells) {
    const reason = whyNotContinued(resolveWorkload(description, parameters));
    if (reason !== null)
      throw badOption(
        'workload',
        workload,
        `a workload whose load can go on from the rows that it left, such as transfer, order or tpcb; ${reason}`,
      );
    if (soak.slices * sessions > sessionsMax)
      throw badOption(
        'sessions',
        String(sessions),
        `at most ${Math.floor(sessionsMax / soak.slices)} with ${soak.slices} slices; make --slice longer`,
      );
  }
}
