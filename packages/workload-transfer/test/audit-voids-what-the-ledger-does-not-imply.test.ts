import type { Ledger, Transfer } from '@fair-bench/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import workload, { defaultParameters, parseTransferParameters } from '../src/index.ts';
import { InMemoryAccounts } from './in-memory-accounts.ts';

const parameters = parseTransferParameters({ ...defaultParameters, accounts: 200, alpha: 1.1 });
const signal = new AbortController().signal;

let accounts: InMemoryAccounts;
let ledger: Ledger<Transfer>;
let last: Transfer;

beforeEach(async () => {
  accounts = new InMemoryAccounts();
  ledger = workload.createLedger(parameters);
  await workload.seed(parameters, accounts, signal);
  const stream = workload.createStream(parameters, 0);
  const operation = workload.createOperation();
  for (let index = 0; index < 500; index += 1) {
    stream.next(operation);
    accounts.apply(operation);
    ledger.recordApplied(operation);
  }
  last = { ...operation };
});

const audit = () => workload.audit(parameters, ledger.encode(), accounts, signal);

/** The number of mismatches and their examples, one a line; none when the audit passes. */
async function failure() {
  const finding = await audit();
  const examples = finding.status === 'failed' ? finding.examples.join('\n') : '';
  return { mismatches: finding.mismatches, examples };
}

const mismatching = (mismatches: number, example: RegExp) => ({
  mismatches,
  examples: expect.stringMatching(example),
});

describe('without operations in doubt', () => {
  test('the truth passes', async () => {
    expect(await audit()).toEqual({
      status: 'passed',
      accountsChecked: 200,
      mismatches: 0,
      inDoubt: 0,
      inDoubtApplied: 0,
    });
  });

  test('a dropped transfer', async () => {
    ledger.recordApplied(last);
    expect(await failure()).toEqual(
      mismatching(2, new RegExp(`account ${last.target}: expected \\d+, found \\d+ \\(−${last.amount}\\)`)),
    );
  });

  test('a doubled transfer', async () => {
    accounts.apply(last);
    expect(await failure()).toEqual(
      mismatching(2, new RegExp(`account ${last.source}: expected \\d+, found \\d+ \\(−${last.amount}\\)`)),
    );
  });

  test('a transfer of which only the debit was done', async () => {
    accounts.add(last.target, -last.amount);
    expect(await failure()).toEqual(mismatching(1, new RegExp(`account ${last.target}: .*−${last.amount}`)));
  });

  test('a transfer the wrong way round', async () => {
    const back = { source: last.target, target: last.source, amount: last.amount };
    accounts.apply(back);
    accounts.apply(back);
    expect(await failure()).toEqual(
      mismatching(2, new RegExp(`account ${last.source}: .*\\+${2n * last.amount}`)),
    );
  });

  test('an invented transfer', async () => {
    accounts.apply({ source: 150, target: 151, amount: 3n });
    expect(await failure()).toEqual(mismatching(2, /account 151: expected \d+, found \d+ \(\+3\)/));
  });

  test('a table that was never seeded', async () => {
    accounts.rows = [];
    expect(await failure()).toEqual(mismatching(200, /account 0: expected \d+, found no row/));
    expect(await audit()).toMatchObject({ reason: 'none of the 200 accounts is there', accountsChecked: 0 });
  });

  test('an account that is missing', async () => {
    accounts.rows = accounts.rows.filter(([id]) => id !== 77);
    expect(await failure()).toEqual(mismatching(1, /account 77: expected \d+, found no row/));
  });

  test.each([200, -1, 4_294_967_296, 0.5])('a row of account %d, which is not of the dataset', async (id) => {
    accounts.rows.push([id, 5n]);
    expect(await failure()).toEqual(mismatching(1, new RegExp(`account ${id}: not in the dataset, found 5`)));
  });

  test('a second row of an account', async () => {
    accounts.rows.push([42, accounts.rows[42]?.[1] ?? 0n]);
    expect(await failure()).toEqual(mismatching(1, /account 42: more than one row/));
  });

  test('a difference too small for a double to show', async () => {
    const large = { ...parameters, initialBalance: '9223372036854770000' };
    await workload.seed(large, accounts, signal);
    ledger = workload.createLedger(large);
    expect(await workload.audit(large, ledger.encode(), accounts, signal)).toMatchObject({
      status: 'passed',
    });
    accounts.add(3, 1n);
    expect(await workload.audit(large, ledger.encode(), accounts, signal)).toMatchObject({ mismatches: 1 });
  });

  test.each([
    { initialBalance: '1', amount: 2n ** 53n - 1n, account: 1, surplus: 1n },
    { initialBalance: '9007199254740993', amount: 2n ** 52n, account: 0, surplus: -1n },
  ])(
    'a difference of 1 where doubles skip integers: %o',
    async ({ amount, account, surplus, ...changed }) => {
      const large = { ...parameters, ...changed };
      const transfer = { source: 0, target: 1, amount };
      await workload.seed(large, accounts, signal);
      ledger = workload.createLedger(large);
      ledger.recordApplied(transfer);
      accounts.apply(transfer);
      expect(await workload.audit(large, ledger.encode(), accounts, signal)).toMatchObject({ mismatches: 0 });
      accounts.add(account, surplus);
      expect(await workload.audit(large, ledger.encode(), accounts, signal)).toMatchObject({ mismatches: 1 });
    },
  );

  test('ends when it is told to', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    await expect(workload.audit(parameters, ledger.encode(), accounts, controller.signal)).rejects.toThrow(
      'enough',
    );
  });
});

describe('with operations in doubt', () => {
  const doubts: Transfer[] = [
    { source: 1, target: 2, amount: 10n },
    { source: 2, target: 3, amount: 7n },
    { source: 3, target: 1, amount: 7n },
    { source: 90, target: 91, amount: 4n },
  ];

  test.each([0, 1, 5, 6, 8, 12, 15])('accepts that the subset %i was applied', async (subset) => {
    for (const doubt of doubts) ledger.recordInDoubt(doubt);
    const applied = doubts.filter((_, index) => (subset >> index) & 1);
    for (const doubt of applied) accounts.apply(doubt);
    expect(await audit()).toEqual({
      status: 'passed',
      accountsChecked: 200,
      mismatches: 0,
      inDoubt: 4,
      inDoubtApplied: applied.length,
    });
  });

  test('rejects what lies within their bounds but is the effect of no subset', async () => {
    for (const doubt of doubts) ledger.recordInDoubt(doubt);
    accounts.apply({ source: 1, target: 2, amount: 5n });
    expect(await failure()).toEqual(
      mismatching(2, /account 1: .*\(−5\), which no choice of the operations in doubt explains/),
    );
  });

  test('rejects that the half of one of two was applied', async () => {
    for (const doubt of doubts.slice(0, 2)) ledger.recordInDoubt(doubt);
    accounts.add(1, -10n);
    expect(await failure()).toEqual(mismatching(1, /account 1: .*\(−10\)/));
  });

  test('rejects one that was applied twice', async () => {
    for (const doubt of doubts) ledger.recordInDoubt(doubt);
    accounts.apply({ source: 90, target: 91, amount: 8n });
    expect(await failure()).toEqual(mismatching(2, /account 91: .*\(\+8\)/));
  });

  test('a difference elsewhere is not excused by them', async () => {
    for (const doubt of doubts) ledger.recordInDoubt(doubt);
    accounts.add(60, 1n);
    expect(await failure()).toEqual(mismatching(1, /account 60: .*\(\+1\)/));
  });

  test('settles hundreds that share their hot accounts', async () => {
    const skewed = parseTransferParameters({ ...defaultParameters, accounts: 200, alpha: 2 });
    const stream = workload.createStream(skewed, 5);
    const operation = workload.createOperation();
    for (let index = 0; index < 800; index += 1) {
      stream.next(operation);
      ledger.recordInDoubt(operation);
      if (index % 3 === 0) accounts.apply(operation);
    }
    expect(await audit()).toMatchObject({ status: 'passed', inDoubt: 800 });
    accounts.add(199, 1n);
    expect(await audit()).toMatchObject({ status: 'failed' });
  });
});

describe('a ledger that was damaged', () => {
  test.each([
    ['an empty file', () => new Uint8Array(0)],
    ['another magic', (bytes: Uint8Array) => bytes.with(0, 0)],
    ['another version', (bytes: Uint8Array) => bytes.with(4, 9)],
    ['a file cut short', (bytes: Uint8Array) => bytes.slice(0, -1)],
    ['a record lost', (bytes: Uint8Array) => bytes.slice(0, -12)],
    ['an account out of order', (bytes: Uint8Array) => bytes.with(36, 0)],
    ['an account beyond the last', (bytes: Uint8Array) => bytes.with(bytes.length - 11, 200)],
    ['a net effect changed', (bytes: Uint8Array) => bytes.with(28, (bytes[28] ?? 0) ^ 1)],
  ])('%s is an error', async (_, damage) => {
    const { bytes } = ledger.encode();
    await expect(
      workload.audit(parameters, { bytes: damage(bytes), inDoubt: [] }, accounts, signal),
    ).rejects.toThrow(/^transfer ledger: corrupt: .*run the trial again$/);
  });

  test.each([
    { source: 1, target: 1, amount: '5' },
    { source: 1, target: 200, amount: '5' },
    { source: 1, target: 2, amount: '0' },
    { source: 1, target: 2 },
  ])('in-doubt %o is an error', async (transfer) => {
    const { bytes } = ledger.encode();
    await expect(
      workload.audit(parameters, { bytes, inDoubt: [transfer] }, accounts, signal),
    ).rejects.toThrow(/^transfer ledger: /);
  });
});
