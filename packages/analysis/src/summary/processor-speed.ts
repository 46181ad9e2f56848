import { type Disturbance, type PassedTrial, medianOf } from '@fair-bench/results';
import { clientCpuUsOf, serverCpuUsOf } from './cpu-per-operation.ts';

/** The least trials of a cell that have a median, and of all cells of which a tenth is at least one. */
const trialsOfCellMin = 3;
const trialsMin = 10;

/**
 * How much CPU time an operation took, as a multiple of its cell's median: exceeded by nine trials of ten, and by one. A
 * trial counts by the load client or the servers, whichever differs less, and as 1 if they differ in opposite directions: what
 * slows both alike is no change of one of them. Null with too few trials, or if a part was not read. Pure.
 */
export function cpuTimeSpreadOf(passed: readonly PassedTrial[]): Disturbance['cpuTimeSpread'] {
  const applied = passed.filter(({ result }) => result.window.applied > 0);
  const multiples = [...Map.groupBy(applied, ({ cellId }) => cellId).values()].flatMap((own) => {
    const read = own.flatMap((trial) => {
      const [client, servers] = [clientCpuUsOf(trial), serverCpuUsOf(trial)];
      return client > 0 && servers !== null ? [{ client, servers }] : [];
    });
    if (own.length < trialsOfCellMin || read.length < own.length) return [];
    const usual = medianOf(read.map(({ client }) => client));
    const usualOfServers = medianOf(read.map(({ servers }) => servers));
    return read.map(({ client, servers }) => alike(client / usual, servers / usualOfServers));
  });
  if (multiples.length < trialsMin) return null;
  const sorted = multiples.toSorted((a, b) => a - b);
  const tenth = Math.floor(sorted.length / 10);
  return [sorted[tenth] ?? 1, sorted.at(-1 - tenth) ?? 1];
}

/** Of two multiples on one side of 1 the one closer to it, otherwise 1. */
function alike(a: number, b: number): number {
  return a > 1 ? Math.max(1, Math.min(a, b)) : Math.min(1, Math.max(a, b));
}
