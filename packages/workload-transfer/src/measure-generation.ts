import type { Transfer } from '@fair-bench/contract';
import type { TransferParameters } from './parameters.ts';
import { createTransferStream } from './transfer-stream.ts';

const operationsPerRound = 40_000;
const rounds = 40;

/**
 * Nanoseconds to generate one operation: the fastest of 40 rounds of about 4 ms, of which the first ones
 * warm up. What else runs on the machine only ever adds to a round.
 */
export function measureGeneration(parameters: TransferParameters): number {
  const stream = createTransferStream(parameters, 0);
  const operation: Transfer = { source: 0, target: 0, amount: 0n };
  let elapsedMsMin = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const startMs = performance.now();
    for (let index = 0; index < operationsPerRound; index += 1) stream.next(operation);
    elapsedMsMin = Math.min(elapsedMsMin, performance.now() - startMs);
  }
  return (elapsedMsMin * 1e6) / operationsPerRound;
}
