import { describe, expect, test } from 'vitest';
import { summarize } from '@fair-bench/analysis';
import { passedTrial, planOf, present, runOf } from '@fair-bench/analysis/test-support';
import { answerOf } from '../src/answer.ts';
import { renderMarkdown, renderTerminal } from '../src/index.ts';
import { claimOf } from './support/claims.ts';

describe('a claim whose source leaves a setting open', () => {
  const readings = ['durability=durable', 'durability=async'];
  const why = 'it does not say whether commits were durable';
  const three = planOf({ targets: ['slow-http', 'fast-http', 'faster-http'] });
  const [open, ...others] = claimOf(3).figures;
  const claim = claimOf(3, {
    figures: [{ ...present(open), either: { readings, why } }, ...others],
    statements: [
      {
        statement: 'about three',
        kind: 'about',
        wording: 'about',
        claimedRatio: 3,
        from: 'slow',
        to: 'fast',
      },
    ],
  });

  /** The first end is half as fast in its first reading; without `isAsync` its second is not measured. */
  function summaryWith(isAsync: boolean, judged = claim) {
    const [durable, async, fastest] = three.cells.map(({ id }) => id);
    const figures = [
      { id: 'slow', reading: 'durability=durable', cellId: present(durable), notes: [] },
      {
        id: 'slow',
        reading: 'durability=async',
        cellId: isAsync ? present(async) : null,
        notes: ['no async here'],
      },
      { id: 'fast', reading: null, cellId: present(fastest), notes: [] },
      { id: 'absent', reading: null, cellId: null, notes: ['there is no connector absent-http here'] },
    ];
    const tps = [1000, 2000, 6000];
    return summarize(
      runOf(
        { ...three, mode: 'published' },
        (cell, round) =>
          passedTrial({ cell, round, applied: 2 * (tps[three.cells.indexOf(cell)] ?? 0) + 20 * round }),
        { question: { claim: { claim: judged, figures } } },
      ),
    );
  }

  test('is judged in each reading, and the verdict says in which', () => {
    const summary = summaryWith(true);
    const { statements, reading, verdict } = present(summary.claim);
    expect(statements.map((one) => [one.reading, one.verdict])).toEqual([
      ['durability=durable', 'contradicted'],
      ['durability=async', 'supported'],
    ]);
    expect([reading, verdict]).toEqual(['durability=durable', 'contradicted']);
    const { headline, reasons } = answerOf(summary);
    expect(headline).toMatch(
      /^Claimed about 3 × on one desktop; here, .*: 5\.\d+ × \[.+\], contradicted if durability=durable; 2\.\d+ × \[.+\], supported if durability=async$/,
    );
    expect(reasons.join(' ')).toContain(
      'The claim has 1 statement, 2 in all readings: 1 contradicted, 1 supported.',
    );
    expect(reasons.join(' ')).toContain(why);
  });

  test('has both readings in the tables of every output', () => {
    const summary = summaryWith(true);
    for (const text of [
      renderTerminal(summary, { color: false, width: 400, verbose: true }),
      renderMarkdown(summary),
    ]) {
      expect(text).toContain('Slow, if durability=durable');
      expect(text).toContain('Slow, if durability=async');
      expect(text).toMatch(/about three +\|? *durability=async/);
    }
  });

  test('names each statement that has a number on the first screen, and how many there are', () => {
    const [stated] = claim.statements;
    const reverse = {
      ...present(stated),
      statement: 'the reverse',
      claimedRatio: 1 / 3,
      from: 'fast',
      to: 'slow',
    };
    const two = summaryWith(true, { ...claim, statements: [present(stated), reverse] });
    const { headline, findings } = answerOf(two);
    expect(headline).toMatch(/^Claimed about \S+ × on one desktop; here, in this run on /);
    expect(findings).toHaveLength(2);
    expect(findings[0]).toMatch(
      /^Contradicted if durability=durable: “the reverse”, claimed about 0\.333 ×, measured 0\.1\d+ × \[.+\]\.$/,
    );
  });

  test('names the reading that has no number', () => {
    const summary = summaryWith(false);
    expect(answerOf(summary).headline).toMatch(
      /^Claimed .*: [\d.]+ × \[.+\], contradicted if durability=durable; not measured if durability=async$/,
    );
    expect(present(summary.claim).statements[1]).toMatchObject({ verdict: 'not measured', measured: null });
  });
});
