import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, OperationOutcome, Row } from '@fair-bench/contract';
import transfer from '@fair-bench/workloads/transfer';
import {
  auditOutcomes,
  createSlots,
  createStream,
  defaultParameters,
  OutcomeLog,
  readOutcomeLog,
  resolveWorkload,
  writeOutcomeLog,
} from '@fair-bench/workload';

/**
 * Prints time and memory of the outcome log and of an audit over a table that is made up page by page:
 * `node tools/audit-cost.ts [ACCOUNTS [OPERATIONS]]`
 */
const accounts = Number(process.argv[2] ?? 10_000_000);
const operations = Number(process.argv[3] ?? 10_000_000);
const parameters: JsonObject = { ...defaultParameters(transfer), accounts, alpha: 0 };
const workload = resolveWorkload(transfer, parameters);
const place = { session: 0, sessions: 1 };
const balances = new BigInt64Array(accounts).fill(1_000_000_000n);
const applied: OperationOutcome = { kind: 'applied', reply: null, retries: 0 };
const log = new OutcomeLog(workload, { sessions: 1 });
const session = log.open(0);

const drawMs = measure(draws(() => {}));
const logMs = measure(draws((values) => session.settled(session.drawn(), 0, values, applied, 1, 2)));
measure(
  draws(([source, target, amount]) => {
    if (typeof amount !== 'bigint') return;
    balances[Number(source)] = (balances[Number(source)] ?? 0n) - amount;
    balances[Number(target)] = (balances[Number(target)] ?? 0n) + amount;
  }),
);
print('draw', (drawMs * 1e6) / operations, 'ns per operation');
print('draw and log', (logMs * 1e6) / operations, 'ns per operation');

const directory = await mkdtemp(join(tmpdir(), 'audit-cost-'));
try {
  const file = await writeOutcomeLog(join(directory, 'log'), [log.encode()]);
  print('log', file.bytes / 2 ** 20, 'MiB');
  print('resident before the audit', process.memoryUsage.rss() / 2 ** 20, 'MiB');
  const startMs = performance.now();
  const logs = await readOutcomeLog(file);
  const { signal } = new AbortController();
  const finding = await auditOutcomes({ workload, logs, scan: pages, signal });
  print(`audit ${finding.status}, ${finding.mismatches} mismatches`, performance.now() - startMs, 'ms');
  print('resident after the audit', process.memoryUsage.rss() / 2 ** 20, 'MiB');
} finally {
  await rm(directory, { recursive: true });
}

/** The same operations each time. */
function draws(use: (values: ReturnType<typeof createSlots>[number]) => void): () => void {
  const stream = createStream(workload, place);
  const slots = createSlots(workload);
  return () => {
    const operation = stream.next(slots);
    use(slots[operation] ?? []);
  };
}

async function* pages(): AsyncIterable<readonly Row[]> {
  for (let start = 0; start < accounts; start += 10_000) {
    const length = Math.min(10_000, accounts - start);
    yield Array.from({ length }, (_, index) => [start + index, balances[start + index] ?? 0n]);
    await Promise.resolve();
  }
}

function measure(act: () => void): number {
  const startMs = performance.now();
  for (let index = 0; index < operations; index += 1) act();
  return performance.now() - startMs;
}

function print(name: string, value: number, unit: string): void {
  process.stdout.write(`${name}: ${value.toFixed(1)} ${unit}\n`);
}
