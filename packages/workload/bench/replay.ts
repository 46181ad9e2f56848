import { defaultParameters, resolveWorkload } from '../src/index.ts';
import {
  auditOutcomes,
  createSeededRows,
  createSlots,
  createStream,
  OutcomeLog,
  parseOutcomeLog,
} from '../src/index.ts';
import type { OperationOutcome, Row, ScalarValue } from '@fair-bench/contract';
import transfer from '@fair-bench/workloads/transfer';
import { ycsb } from '../test/paper.ts';

/**
 * Prints time and memory of the outcome log and of its audit, over a table that is made up page by page:
 * `node packages/workload/bench/replay.ts [transfer|ycsb [ROWS [OPERATIONS]]]`
 */
const name = process.argv[2] ?? 'transfer';
const rows = Number(process.argv[3] ?? 10_000_000);
const operations = Number(process.argv[4] ?? 6_000_000);
const sessions = 16;
const description = name === 'ycsb' ? ycsb : transfer;
const sizes = name === 'ycsb' ? { records: rows, keys: 'uniform', mix: 'a' } : { accounts: rows, alpha: 0 };
const workload = resolveWorkload(description, { ...defaultParameters(description), ...sizes });
const [table] = workload.tables;
if (table === undefined) throw new Error('no table');
const seededRow = createSeededRows(workload, table);

// What the operations leave, kept as small as will do: sums by row, or the last text by cell.
const balances = new BigInt64Array(name === 'ycsb' ? 0 : rows).fill(1_000_000_000n);
const texts = new Map<number, ScalarValue>();

const log = new OutcomeLog(workload, { sessions });
const applied: OperationOutcome = { kind: 'applied', reply: null, retries: 0 };
let nowUs = 0;
for (let session = 0; session < sessions; session += 1) {
  const own = log.open(session);
  const stream = createStream(workload, { session, sessions });
  const slots = createSlots(workload);
  for (let drawn = 0; drawn < operations / sessions; drawn += 1) {
    const operation = stream.next(slots);
    const values = slots[operation] ?? [];
    const outcome =
      name === 'ycsb' ? ycsbOutcome(workload.operations[operation]?.name ?? '', values) : applied;
    if (name !== 'ycsb') move(values);
    nowUs += 10;
    own.settled(own.drawn(), operation, values, outcome, nowUs, nowUs + 5);
  }
}
const bytes = Buffer.concat([Uint8Array.from([0x46, 0x42, 0x4f, 0x4c, 1, 0, 0, 0]), ...log.encode()]);
print('log', bytes.length / 2 ** 20, 'MiB');
print('resident before the audit', process.memoryUsage.rss() / 2 ** 20, 'MiB');
const startMs = performance.now();
const logs = parseOutcomeLog(bytes);
const finding = await auditOutcomes({ workload, logs, scan: pages, signal: new AbortController().signal });
print(`audit ${finding.status}, ${finding.accountsChecked} rows`, performance.now() - startMs, 'ms');
if (finding.status === 'failed') process.stdout.write(`${finding.reason}\n${finding.examples.join('\n')}\n`);
print('most resident', process.resourceUsage().maxRSS / 1024, 'MiB');

function move(values: readonly unknown[]): void {
  const [from, to, amount] = [Number(values[0]), Number(values[1]), BigInt(Number(values[2]))];
  balances[from] = (balances[from] ?? 0n) - amount;
  balances[to] = (balances[to] ?? 0n) + amount;
}

function ycsbOutcome(operation: string, values: readonly unknown[]): OperationOutcome {
  const id = Number(values[0]);
  if (operation === 'read') return { ...applied, reply: { kind: 'rows', rows: [rowOf(id)] } };
  texts.set(id * 10 + Number(values[1]), String(values[2]));
  return applied;
}

function rowOf(id: number): Row {
  if (name !== 'ycsb') return [id, balances[id] ?? 0n];
  return seededRow(id).map(
    (value, place) => (place < 2 ? undefined : texts.get(id * 10 + place - 2)) ?? value,
  );
}

async function* pages(): AsyncIterable<Row[]> {
  for (let start = 0; start < rows; start += 10_000) {
    yield Array.from({ length: Math.min(10_000, rows - start) }, (_, index) => rowOf(start + index));
    await Promise.resolve();
  }
}

function print(what: string, value: number, unit: string): void {
  process.stdout.write(`${what}: ${value.toFixed(1)} ${unit}\n`);
}
