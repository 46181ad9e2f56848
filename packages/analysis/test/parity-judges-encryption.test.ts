import { type Facts, tlsSetting } from '@fair-bench/contract';
import { expect, test } from 'vitest';
import { assessParity } from '../src/parity/assess-parity.ts';
import { factsOf, outcomeOf, passedTrial, planOf, runOf } from '../src/test-support/trial-records.ts';

const plan = planOf({ targets: ['alpha-http', 'beta-http'] });

/** What each of the two says of its sessions; null where it says nothing. */
function parityOf(said: Readonly<Record<string, string | null>>, provider: Facts['provider'] = 'embedded') {
  const facts = (target: string): Facts => {
    const own = factsOf(target.split('-')[0] ?? '', { provider });
    const tls = said[target] ?? null;
    return tls === null ? own : { ...own, settings: { ...own.settings, [tlsSetting]: tls } };
  };
  const run = runOf(
    plan,
    (cell, round) => passedTrial({ cell, round, applied: 1000, facts: facts(cell.target) }),
    { targets: plan.targets.map(({ target }) => outcomeOf(target, { facts: facts(target) })) },
  );
  const { rows, verdict } = assessParity(run);
  return {
    row: rows.find(({ rule }) => rule === 'F55'),
    broken: verdict.differences.map(({ rule }) => rule),
  };
}

test.each([
  ['TLSv1.3', 'TLSv1.3'],
  ['plain text', 'plain text'],
  // What nobody says is no difference.
  ['TLSv1.3', null],
])('%s beside %s is equal', (alpha, beta) => {
  const { row, broken } = parityOf({ 'alpha-http': alpha, 'beta-http': beta });
  expect(row).toMatchObject({
    holds: true,
    values: { 'alpha-http': alpha, 'beta-http': beta ?? 'not said' },
  });
  expect(broken).not.toContain('F55');
});

test.each([
  ['TLSv1.3', 'plain text'],
  ['TLSv1.3', 'TLSv1.2'],
])('%s beside %s is not fair', (alpha, beta) => {
  const { row, broken } = parityOf({ 'alpha-http': alpha, 'beta-http': beta });
  expect(row?.holds).toBe(false);
  expect(broken).toContain('F55');
});

test('two services at URLs may differ, and the line shows it', () => {
  const { row, broken } = parityOf({ 'alpha-http': 'TLSv1.3', 'beta-http': 'plain text' }, 'url');
  expect(row).toMatchObject({ holds: true, values: { 'alpha-http': 'TLSv1.3', 'beta-http': 'plain text' } });
  expect(broken).not.toContain('F55');
});

test('no line where nobody says it', () => {
  expect(parityOf({}).row).toBeUndefined();
});
