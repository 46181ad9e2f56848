import type { Transfer } from '@fair-bench/contract';
import type { TransferParameters } from './parameters.ts';
import { createTransferStream } from './transfer-stream.ts';

const operationsPerRound = 200_000;
const rounds = 7;

/** Nanoseconds to generate one operation: the median of several rounds, after warming up. */
export function measureGeneration(parameters: TransferParameters): number {
  const stream = createTransferStream(parameters, 0);
  const operation: Transfer = { source: 0, target: 0, amount: 0n };
  const nsPerOperation: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const startMs = performance.now();
    for (let index = 0; index < operationsPerRound; index += 1) stream.next(operation);
    const elapsedMs = performance.now() - startMs;
    // The first round is the warm-up.
    if (round > 0) nsPerOperation.push((elapsedMs * 1e6) / operationsPerRound);
  }
  nsPerOperation.sort((a, b) => a - b);
  return nsPerOperation[Math.floor(rounds / 2)] ?? Number.NaN;
}
