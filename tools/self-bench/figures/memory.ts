import type { Figure } from '@fair-bench/results';
import { type BenchContext, openBench } from '../../bench.ts';
import { atMost } from '../figure-bench.ts';

const goals = [
  { accounts: 100_000, mebibytesMax: 200 },
  { accounts: 10_000_000, mebibytesMax: 400 },
] as const;

/** Peak resident memory of the load client, outcome log included. */
export async function memoryFigures(context: BenchContext): Promise<readonly Figure[]> {
  await using bench = await openBench(context, ['null-http']);
  const target = await bench.target('null-http');
  const figures: Figure[] = [];
  for (const { accounts, mebibytesMax } of goals) {
    const { result } = await target.measure({ parameters: { accounts }, sessions: 50, windowMs: 4000 });
    const mebibytes = result.effort.rssBytesMax / 2 ** 20;
    const name = `load client memory at ${accounts.toLocaleString('en-US')} accounts`;
    figures.push(atMost(name, mebibytes, 'MiB', mebibytesMax, 'null server, 50 sessions, depth 1, alpha 0'));
  }
  return figures;
}
