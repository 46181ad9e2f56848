import type { Figure } from '@fair-bench/results';
import {
  createSlots,
  createStream,
  defaultParameters,
  resolveWorkload,
  type Workload,
} from '@fair-bench/workload';
import { defaultWorkload, loadWorkload } from '@fair-bench/runner';
import type { BenchContext } from '../../bench.ts';
import { atMost } from '../figure-bench.ts';

const alphas = [0, 0.5, 0.99, 1, 1.5, 2, 4, 8];
const accounts = [100_000, 10_000_000];
const nsMax = 150;
const operationsPerRound = 40_000;
const rounds = 40;

/** The cost of generating one operation, at the most expensive skew. */
export async function generationFigures({ root }: BenchContext): Promise<readonly Figure[]> {
  const { description } = await loadWorkload(root, defaultWorkload);
  return accounts.map((count) => {
    const measured = alphas.map((alpha) => {
      const parameters = { ...defaultParameters(description), accounts: count, alpha };
      return { alpha, ns: measureGeneration(resolveWorkload(description, parameters)) };
    });
    const slowest = measured.reduce((worst, each) => (each.ns > worst.ns ? each : worst));
    const name = `generating one operation of ${count.toLocaleString('en-US')} accounts`;
    const each = measured.map(({ alpha, ns }) => `${alpha}: ${ns.toFixed(1)}`).join(', ');
    const note = `slowest is alpha ${slowest.alpha}; ns by alpha: ${each}`;
    return atMost(name, slowest.ns, 'ns', nsMax, note);
  });
}

/**
 * Nanoseconds to generate one operation: the fastest of 40 rounds of about 4 ms, the first of which warm up. Other
 * processes only ever make a round slower.
 */
function measureGeneration(workload: Workload): number {
  const stream = createStream(workload, { session: 0, sessions: 1 });
  const slots = createSlots(workload);
  let elapsedMsMin = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const startMs = performance.now();
    for (let index = 0; index < operationsPerRound; index += 1) stream.next(slots);
    elapsedMsMin = Math.min(elapsedMsMin, performance.now() - startMs);
  }
  return (elapsedMsMin * 1e6) / operationsPerRound;
}
