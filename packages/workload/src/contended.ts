import type { JsonObject } from '@fair-bench/contract';
import { copyOf, smallParameters } from './cases.ts';
import { createSlots, createStream } from './compile.ts';
import { createSeededModel } from './model.ts';
import { resolveWorkload } from './resolve.ts';
import type { Workload } from './resolved.ts';
import type { WorkloadDescription } from './schema.ts';

/** How many operations each of how many sessions carries out. */
export interface Load {
  readonly sessions: number;
  readonly operations: number;
}

const rows = 3;
/** 1, 4, 16 … 4^14, for every parameter of type int64. */
const amountsTried = Array.from({ length: 15 }, (_, power) => 4n ** BigInt(power));

/**
 * Parameters with three rows (or the fewest that are accepted) and such amounts that of the operations that the sessions draw the model declines about
 * half, so that it matters what each finds. Null where it declines none whatever the amounts are.
 */
export function contendedParameters(description: WorkloadDescription, load: Load): JsonObject | null {
  // Its operations meet in every row that they write, whether or not they decline.
  if (description.code !== undefined) return smallParameters(description, { rows });
  const hasAmounts = description.parameters.some(({ type }) => type === 'int64');
  // Without amounts it is rows that run out.
  const tried = hasAmounts ? amountsTried.map((amounts) => ({ rows, amounts })) : [{ rows }, { rows: 0 }];
  const all = tried.map((sizes) => {
    const parameters = smallParameters(description, sizes);
    return { parameters, share: declinedShare(resolveWorkload(description, parameters), load) };
  });
  const [best] = all
    .filter(({ share }) => share > 0)
    .toSorted((a, b) => Math.abs(a.share - 0.5) - Math.abs(b.share - 0.5));
  return best?.parameters ?? null;
}

/** Of the operations of all sessions, one at a time and in turn. */
function declinedShare(workload: Workload, { sessions, operations }: Load): number {
  const { model } = createSeededModel(workload);
  const streams = Array.from({ length: sessions }, (_, session) =>
    createStream(workload, { session, sessions }),
  );
  const slots = createSlots(workload);
  let declined = 0;
  for (let drawn = 0; drawn < operations; drawn += 1) {
    for (const stream of streams) {
      const number = stream.next(slots);
      if (model.execute(number, (slots[number] ?? []).map(copyOf)).kind === 'declined') declined += 1;
    }
  }
  return declined / (sessions * operations);
}
