import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import { createTransferStream, parseTransferParameters } from '@fair-bench/workload-transfer';
import { createSlots, createStream, defaultParameters, resolveWorkload } from '@fair-bench/workload';

/**
 * Nanoseconds to draw one operation, from generated source and by the hand-written stream of workload-transfer in
 * alternating rounds: `node tools/generation-cost.ts`. The fastest round counts: what else runs on the
 * machine only ever adds to one. Each case has a process of its own, as in a load client: the engine specialises code
 * for the one workload that it sees.
 */
const operationsPerRound = 40_000;
const rounds = 100;

const [accounts, alpha] = process.argv.slice(2).map(Number);
if (accounts === undefined) {
  const cases = [100_000, 10_000_000].flatMap((size) =>
    [0, 0.5, 0.99, 1.5].map((skew) => [`${size}`, `${skew}`]),
  );
  for (const words of [...cases, ['0']]) {
    spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...words], { stdio: 'inherit' });
  }
} else if (alpha === undefined) {
  const [mixed] = fastest([compiled(counter, defaultParameters(counter))]);
  say(`counter: generated ${ns(mixed)}`);
} else {
  const parameters = { ...defaultParameters(transfer), accounts, alpha };
  const [byHand, generated] = fastest([handWritten(parameters), compiled(transfer, parameters)]);
  const ratio = ((generated ?? 0) / (byHand ?? 1)).toFixed(2);
  say(
    `transfer, accounts ${accounts}, alpha ${alpha}: by hand ${ns(byHand)}, generated ${ns(generated)}, ${ratio} ×`,
  );
}

/** Draws a round's operations. */
type Round = () => void;

function handWritten(parameters: unknown): Round {
  const stream = createTransferStream(parseTransferParameters(parameters), 0);
  const operation = { source: 0, target: 0, amount: 0n };
  return () => {
    for (let count = 0; count < operationsPerRound; count += 1) stream.next(operation);
  };
}

function compiled(description: typeof transfer, parameters: unknown): Round {
  const workload = resolveWorkload(description, parameters);
  const stream = createStream(workload, { session: 0, sessions: 1 });
  const slots = createSlots(workload);
  return () => {
    for (let count = 0; count < operationsPerRound; count += 1) stream.next(slots);
  };
}

/** Of each, the nanoseconds per operation in its fastest round. */
function fastest(draws: readonly Round[]): number[] {
  const elapsedMsMin = draws.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, draw] of draws.entries()) {
      const startMs = performance.now();
      draw();
      elapsedMsMin[index] = Math.min(elapsedMsMin[index] ?? Infinity, performance.now() - startMs);
    }
  }
  return elapsedMsMin.map((elapsedMs) => (elapsedMs * 1e6) / operationsPerRound);
}

function ns(value: number | undefined): string {
  return `${(value ?? 0).toFixed(1)} ns`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
