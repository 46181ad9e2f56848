import { expect, test } from 'vitest';
import { acknowledged, reasonOf, lying, trial } from './simulation.ts';

test('an insert that was acknowledged and lost', async () => {
  const liar = lying('record', 100, () => acknowledged);
  expect(await reasonOf(trial(liar))).toMatch(
    /inserted and not there: a row of event, inserted by operation \d+ of session \d/,
  );
});
