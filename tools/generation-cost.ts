import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import { createSlots, createStream, defaultParameters, resolveWorkload } from '@fair-bench/workload';

/**
 * Nanoseconds to draw one operation from generated source: `node tools/generation-cost.ts`. The fastest round counts: what else runs on the
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
  say(`counter: ${ns(fastest(compiled(counter, defaultParameters(counter))))}`);
} else {
  const parameters = { ...defaultParameters(transfer), accounts, alpha };
  const drawn = fastest(compiled(transfer, parameters));
  say(`transfer, accounts ${accounts}, alpha ${alpha}: ${ns(drawn)}`);
}

/** Draws a round's operations. */
type Round = () => void;

function compiled(description: typeof transfer, parameters: unknown): Round {
  const workload = resolveWorkload(description, parameters);
  const stream = createStream(workload, { session: 0, sessions: 1 });
  const slots = createSlots(workload);
  return () => {
    for (let count = 0; count < operationsPerRound; count += 1) stream.next(slots);
  };
}

/** The nanoseconds per operation of its fastest round. */
function fastest(draw: Round): number {
  let elapsedMsMin = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const startMs = performance.now();
    draw();
    elapsedMsMin = Math.min(elapsedMsMin, performance.now() - startMs);
  }
  return (elapsedMsMin * 1e6) / operationsPerRound;
}

function ns(value: number): string {
  return `${value.toFixed(1)} ns`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
