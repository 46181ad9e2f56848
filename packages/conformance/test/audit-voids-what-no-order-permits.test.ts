import { fileURLToPath } from 'node:url';
import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answersWithTheCorrection } from './liars/answers-with-the-correction.ts';
import { booksASeatTwice } from './liars/books-a-seat-twice.ts';
import { checksBeforeItLocks, checksNothing } from './liars/checks-too-little.ts';
import { replacesFunctions } from './liars/lying-deployments.ts';
import { handsAJobToTwo } from './liars/hands-a-job-to-two.ts';
import type { LiarName } from '../src/test-support/index.ts';
import { sellsBelowZero } from './liars/sells-below-zero.ts';
import { takesNoLocks } from './liars/takes-no-locks.ts';
import { workloadNamed } from '../src/workloads.ts';
import { caught, LiarBench, verdictOf } from './support/liar-bench.ts';

const system = 'postgres-driver';
const seats = fileURLToPath(new URL('support/seats', import.meta.url));

/** The amounts run out, so that it matters what an operation finds. */
const poor = { sessions: 16, sizes: { rows: 200, amounts: 1000n } };
const scarce = { sessions: 16, sizes: { rows: 100, amounts: 40n } };
// As many seats as leave some for the window.
const enough = { sessions: 16, sizes: { rows: 1000 } };

interface Mistakes {
  readonly name: string;
  readonly setting: Parameters<LiarBench['withoutClient']>[1];
  readonly liars: readonly { readonly liar: LiarName; readonly functions: string }[];
  readonly finding: string;
  readonly example: RegExp;
}

const applied = 'applied where a rule declines it in every order of the operations';
const lost = String.raw`operations that replaced what another had replaced before \(lost updates\)`;

const mistakes: readonly Mistakes[] = [
  {
    name: 'transfer',
    setting: poor,
    liars: [
      { liar: 'checks-before-it-locks', functions: checksBeforeItLocks },
      { liar: 'checks-nothing', functions: checksNothing },
    ],
    finding: applied,
    example: /account\.balance of row \d+, which ended at -\d+/,
  },
  {
    name: 'order',
    setting: scarce,
    liars: [{ liar: 'sells-below-zero', functions: sellsBelowZero }],
    finding: applied,
    example: /stock\.quantity of row \d+, which ended at -\d+/,
  },
  {
    name: seats,
    setting: enough,
    liars: [{ liar: 'books-a-seat-twice', functions: booksASeatTwice }],
    finding: applied,
    example: /seat\.holder of row \d+, .*: no order permits .*\(book, held\)/,
  },
  {
    name: 'queue',
    // It is empty at first, and again and again.
    setting: { sessions: 16, sizes: { rows: 0 } },
    liars: [{ liar: 'hands-a-job-to-two', functions: handsAJobToTwo }],
    finding: 'deleted by two operations',
    example: /job of .*: operation \d+ of session \d+ and operation \d+ of session \d+/,
  },
  {
    name: 'objects',
    // Objects are corrected again and again.
    setting: { sessions: 16, sizes: { rows: 20 } },
    liars: [{ liar: 'answers-with-the-correction', functions: answersWithTheCorrection }],
    finding: 'rows returned as known at a time at which they were not yet recorded',
    example: /version\.recorded of .* is \d+, as known at \d+, read by operation \d+ of session \d+/,
  },
  {
    name: 'smallbank',
    setting: { sessions: 16, parameters: { customers: 40 } },
    liars: [{ liar: 'takes-no-locks', functions: takesNoLocks('smallbank') }],
    finding: lost,
    example:
      /operation \d+ of session \d+ \(\w+\) and operation \d+ of session \d+ \(\w+\) both found \d+ of \w+ \(/,
  },
  {
    name: 'tpcc',
    setting: { sessions: 16, windowMs: 1000, parameters: { warehouses: 1 } },
    liars: [{ liar: 'takes-no-locks', functions: takesNoLocks('tpcc') }],
    finding: lost,
    example:
      /operation \d+ of session \d+ \(\w+\) and operation \d+ of session \d+ \(\w+\) both found \d+ of \w+ \(/,
  },
];

/** The others have mutated logs: replay-finds-operations-that-no-order-permits.test.ts. */
function some<One>(liars: readonly One[]): readonly One[] {
  return chosen(liars, (_, place) => place === 0);
}

/** What the replay finds of the others has mutated logs too. */
const ofEachJudge = chosen(mistakes, (_, place) => place === 0);

describe.each(ofEachJudge)('of $name', ({ name, setting, liars, finding, example }) => {
  let bench: LiarBench;
  beforeAll(async () => {
    bench = await LiarBench.on(await workloadNamed(name), system);
  });
  afterAll(() => bench.close());

  test.each(some(liars))(
    'a function that $liar voids the trial, for this alone',
    async ({ liar, functions }) => {
      const record = await bench.withoutClient(system, {
        ...setting,
        controlPlane: (deployment) => replacesFunctions(deployment, functions),
      });
      const verdict = verdictOf(caught(liar, record));
      expect(verdict).toMatch(new RegExp(`^void: \\d+ ${finding}(?: \\(|, \\d+ )`));
      expect(verdict).toMatch(example);
    },
  );

  test.each(some(liars))('a function that $liar fails the rehearsal before a run', async ({ functions }) => {
    const contended = await bench.contend(system, (deployment) => replacesFunctions(deployment, functions));
    expect(contended).toMatchObject({ status: 'failed' });
    const reason = contended.status === 'failed' ? contended.reason : '';
    expect(reason).toMatch(new RegExp(`^16 sessions at once on few rows: \\d+ ${finding}`));
    expect(reason).toMatch(example);
  });

  test('the workload’s own function passes in the same setting', async () => {
    const record = await bench.withoutClient(system, setting);
    expect(verdictOf(record)).toBe('ok');
    const declined = record.status === 'ok' ? Object.values(record.result.total.declined) : [];
    expect(declined.length).toBeGreaterThan(0);
  });

  test('the workload’s own function passes the rehearsal, of which some are declined', async () => {
    const contended = await bench.contend(system);
    expect(contended).toMatchObject({ status: 'passed', sessions: 16, faults: 0 });
    const counts = contended.status === 'passed' ? contended : { applied: 0, declined: 0 };
    expect(Math.min(counts.applied, counts.declined)).toBeGreaterThan(0);
  });
});
