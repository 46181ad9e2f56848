import { expect, test } from 'vitest';
import workload, { defaultParameters, parseTransferParameters } from '../src/index.ts';

const parameters = parseTransferParameters({ ...defaultParameters, accounts: 10 });

test('encodes the accounts with a net effect as documented', () => {
  const ledger = workload.createLedger(parameters);
  ledger.recordApplied({ source: 3, target: 7, amount: 5n });
  ledger.recordApplied({ source: 3, target: 4, amount: 2n });
  ledger.recordApplied({ source: 4, target: 3, amount: 2n });
  const { bytes, inDoubt } = ledger.encode();
  const fields = [
    '4642544c 01000000 0300000000000000 0200000000000000',
    '03000000 fbffffffffffffff',
    '07000000 0500000000000000',
  ];
  expect(Buffer.from(bytes).toString('hex')).toBe(fields.join('').replaceAll(' ', ''));
  expect(inDoubt).toEqual([]);
});

test('merges threads into what one thread would have kept', () => {
  const whole = workload.createLedger(parameters);
  const parts = [workload.createLedger(parameters), workload.createLedger(parameters)];
  const stream = workload.createStream(parameters, 0);
  const operation = workload.createOperation();
  for (let index = 0; index < 1000; index += 1) {
    stream.next(operation);
    const part = parts[index % 2];
    if (index % 10 === 0) {
      whole.recordInDoubt(operation);
      part?.recordInDoubt(operation);
    } else {
      whole.recordApplied(operation);
      part?.recordApplied(operation);
    }
  }
  const merged = workload.createLedger(parameters);
  for (const part of parts) merged.merge(part.encode());
  expect(merged.encode().bytes).toEqual(whole.encode().bytes);
  expect(new Set(merged.encode().inDoubt.map((each) => JSON.stringify(each)))).toEqual(
    new Set(whole.encode().inDoubt.map((each) => JSON.stringify(each))),
  );
});

test('copies an operation in doubt, as the trial result carries it', () => {
  const ledger = workload.createLedger(parameters);
  const operation = { source: 1, target: 2, amount: 3n };
  ledger.recordInDoubt(operation);
  operation.amount = 99n;
  const inDoubt = [...ledger.encode().inDoubt];
  expect(JSON.parse(JSON.stringify(inDoubt))).toEqual([{ source: 1, target: 2, amount: '3' }]);
});

test('amounts beyond 32 bits are kept exactly', () => {
  const ledger = workload.createLedger(parameters);
  ledger.recordApplied({ source: 0, target: 1, amount: 9_007_199_254_740_990n });
  ledger.recordApplied({ source: 0, target: 1, amount: 1n });
  const view = new DataView(ledger.encode().bytes.buffer);
  expect(view.getBigInt64(28, true)).toBe(-9_007_199_254_740_991n);
  expect(() => ledger.recordApplied({ source: 0, target: 1, amount: 1n })).toThrow(/beyond 2\^53/);
  expect(() => ledger.recordApplied({ source: 1, target: 10, amount: 1n })).toThrow(
    /account 10 is not one of 10/,
  );
});
