import { expect, test } from 'vitest';
import { assessParity } from '../src/parity/assess-parity.ts';
import { rules } from '../src/parity/rules.ts';
import { passedTrial, planOf, runOf } from '../src/test-support/trial-records.ts';

const planned = planOf({ targets: ['alpha-http', 'beta-http'] });
const plan = { ...planned, cells: planned.cells.map((cell) => ({ ...cell, memoryMb: 64 })) };

test.each([
  { limitBytes: 64 * 2 ** 20, broken: [] },
  { limitBytes: 65 * 2 ** 20, broken: [rules.memory] },
  { limitBytes: null, broken: [rules.memory] },
  { limitBytes: undefined, broken: [rules.memory] },
])('of a limit of 64 MiB, the kernel read back $limitBytes', ({ limitBytes, broken }) => {
  const run = runOf(plan, (cell, round) =>
    passedTrial(
      { cell, round, applied: 1000 },
      limitBytes === undefined || cell.target === 'alpha-http'
        ? {}
        : { memory: { limitBytes, peakBytes: null, filesBytes: 0, residentBytes: null } },
    ),
  );
  const alpha = { limitBytes: 64 * 2 ** 20, peakBytes: 1, filesBytes: 1, residentBytes: 0 };
  const trials = run.trials.map((trial) =>
    trial.status === 'ok' && trial.cellId.startsWith('alpha') ? { ...trial, memory: alpha } : trial,
  );
  const { verdict } = assessParity({ ...run, trials });
  expect(verdict.differences.map(({ rule }) => rule)).toEqual(broken);
});
