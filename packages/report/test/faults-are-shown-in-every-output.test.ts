import { summarize } from '@fair-bench/analysis';
import { faultTrialOf, passedTrial, planOf, present, runOf } from '@fair-bench/analysis/test-support';
import type { FaultTrial } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { renderHtml } from '../src/html.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { renderTerminal } from '../src/terminal.ts';

const plan = {
  ...planOf({ targets: ['alpha-http', 'beta-http'], rounds: 2 }),
  faults: { faults: [{ kind: 'kill' as const, lengthMs: 0 }], trials: 2 },
};
const [alpha, beta] = [present(plan.cells[0]), present(plan.cells[1])];
const { rows, ...kept } = faultTrialOf({ cell: beta, outageMs: 900, failed: 50 });
const lossy: FaultTrial = { ...kept, rows: { ...rows, outcome: 'lost', lost: 1_234, rowsUnexplained: 9 } };
const faultTrials: readonly FaultTrial[] = [
  faultTrialOf({ cell: alpha, outageMs: 400 }),
  faultTrialOf({ cell: alpha, outageMs: 600, trial: 1 }),
  lossy,
  {
    status: 'void',
    cellId: beta.id,
    target: beta.target,
    connector: beta.target,
    fault: kept.fault,
    trial: 1,
    reason: 'it did not start',
  },
];
const run = runOf(plan, (cell, round) => passedTrial({ cell, round, applied: 1_000 + round }), {
  faultTrials,
});
const summary = summarize(run);
const terminal = { color: false, width: 100, verbose: false };

test('the first screen has what was lost, and the table of faults in its width', () => {
  const text = renderTerminal(summary, terminal);
  expect(text).toContain(
    'beta-http (durable) lost 1,234 acknowledged operations in 1 of 1 trials with kill.',
  );
  const lines = text.split('\n');
  const ofTable = lines.slice(lines.indexOf('Faults'));
  expect(Math.max(...ofTable.map((line) => line.length))).toBeLessThanOrEqual(terminal.width);
  const cells = ofTable.flatMap((line) => (/^(alpha|beta)/.test(line) ? [line.split(/ {2,}/)] : []));
  expect(cells[0]).toEqual(['alpha-http', 'kill', '0', '0', '0', '0.5, 0.6', '0.5, 0.6', '0.5, 0.6']);
  expect(cells[1]).toEqual(['beta-http', 'kill', '1,234', '0', '50', '0.9', '0.9', '0.85']);
});

test('every output says the rate, the errors, and why a trial is void', () => {
  for (const text of [
    renderMarkdown(summary),
    renderHtml(summary, run.trials),
    renderTerminal(summary, { ...terminal, width: 200, verbose: true }),
  ]) {
    expect(text).toContain('1,000 operations per second');
    expect(text).toContain('beta-http, kill, 1 void: it did not start');
    expect(text).toMatch(/connection-lost 50/);
  }
});

test('the page has a chart for each fault and cell, with its numbers', () => {
  const page = renderHtml(summary, run.trials);
  expect(page).toContain('id="alpha-http-kill"');
  expect(page).toContain('seconds from the fault');
  expect(page.match(/applied, trial 2/g)).toHaveLength(1);
});

test('a run without faults has no word of them', () => {
  const { faults: _faults, ...plain } = summary;
  expect(renderMarkdown(plain)).not.toMatch(/## Faults/);
});
