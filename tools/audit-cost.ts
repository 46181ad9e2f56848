import type { BalancePage, TransferAccess } from '@fair-bench/contract';
import { defaultParameters, transferWorkload as workload } from '@fair-bench/workload-transfer';

/**
 * Prints time and memory of the ledger and of an audit over a table that is made up page by page:
 * `node tools/audit-cost.ts [ACCOUNTS [OPERATIONS]]`
 */
const accounts = Number(process.argv[2] ?? 10_000_000);
const operations = Number(process.argv[3] ?? 10_000_000);
const parameters = workload.parseParameters({ ...defaultParameters, accounts, alpha: 0 });
const ledger = workload.createLedger(parameters);
const stream = workload.createStream(parameters, 0);
const operation = workload.createOperation();
const balances = new BigInt64Array(accounts).fill(BigInt(parameters.initialBalance));

const generateMs = measure(() => stream.next(operation), operations);
const recordMs = measure(() => {
  stream.next(operation);
  ledger.recordApplied(operation);
  balances[operation.source] = (balances[operation.source] ?? 0n) - operation.amount;
  balances[operation.target] = (balances[operation.target] ?? 0n) + operation.amount;
}, operations);
print('generate and record, with the table kept', (recordMs * 1e6) / operations, 'ns per operation');
print('generate', (generateMs * 1e6) / operations, 'ns per operation');
const fixed = { ...operation };
print('record', (measure(() => record(fixed), operations) * 1e6) / operations, 'ns per operation');
print('resident before encoding', process.memoryUsage.rss() / 2 ** 20, 'MiB');

const encodeStartMs = performance.now();
const encoded = ledger.encode();
print('encode', performance.now() - encodeStartMs, 'ms');
print('ledger', encoded.bytes.length / 2 ** 20, 'MiB');
print('resident after encoding', process.memoryUsage.rss() / 2 ** 20, 'MiB');

const access: TransferAccess = { seed: () => Promise.resolve(), balances: pages };
const auditStartMs = performance.now();
const finding = await workload.audit(parameters, encoded, access, new AbortController().signal);
print(`audit ${finding.status}, ${finding.mismatches} mismatches`, performance.now() - auditStartMs, 'ms');
print('resident after the audit', process.memoryUsage.rss() / 2 ** 20, 'MiB');

/** One transfer there and back, so that the ledger stays as it is. */
function record({ source, target, amount }: typeof operation): void {
  ledger.recordApplied({ source, target, amount });
  ledger.recordApplied({ source: target, target: source, amount });
}

async function* pages(): AsyncIterable<BalancePage> {
  for (let start = 0; start < accounts; start += 10_000) {
    const length = Math.min(10_000, accounts - start);
    const ids = Array.from({ length }, (_, index) => start + index);
    yield { ids, balances: [...balances.subarray(start, start + length)] };
    await Promise.resolve();
  }
}

function measure(act: () => void, count: number): number {
  const startMs = performance.now();
  for (let index = 0; index < count; index += 1) act();
  return performance.now() - startMs;
}

function print(name: string, value: number, unit: string): void {
  process.stdout.write(`${name}: ${value.toFixed(1)} ${unit}\n`);
}
