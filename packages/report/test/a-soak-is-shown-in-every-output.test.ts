import { summarize } from '@fair-bench/analysis';
import { planOf, runOf, soakedTrial } from '@fair-bench/analysis/test-support';
import { expect, test } from 'vitest';
import { renderHtml } from '../src/html.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { renderTerminal } from '../src/terminal.ts';

const slices = 12;
const plan = {
  ...planOf({ targets: ['alpha-http'], rounds: slices }),
  soak: { forMs: slices * 60_000, slices },
};
const run = runOf(plan, (cell, slice) =>
  soakedTrial(cell, slice, {
    tpsAt: (atS) => (Math.floor(atS / 65) % 4 === 0 && atS % 65 >= 30 && atS % 65 < 40 ? 300 : 1_000),
    checkpointEvery: 4,
    memoryAt: () => 100,
  }),
);
const summary = summarize(run);
const terminal = { color: false, width: 100, verbose: false };

test('the first screen has the soak in place of intervals over slices, and what a checkpoint costs', () => {
  const text = renderTerminal(summary, terminal);
  const lines = text.split('\n');
  const ofTable = lines.slice(lines.indexOf('Soak'));
  expect(ofTable.find((line) => line.startsWith('alpha-http'))).toMatch(/^alpha-http +720 s +1,000 /);
  expect(Math.max(...ofTable.map((line) => line.length))).toBeLessThanOrEqual(terminal.width);
  expect(text).not.toContain('± this run');
  expect(text.replaceAll(/\s+/g, ' ')).toMatch(
    /alpha-http: in the ten seconds after a checkpoint \(3 of them\) throughput was 0\.\d+ × that of other seconds, and the p99 10 ×\./,
  );
});

test('every output has its background work, and the page its courses with the checkpoints marked', () => {
  const page = renderHtml(summary, run.trials);
  for (const text of [renderMarkdown(summary), page]) expect(text).toContain('Background work');
  for (const what of ['throughput', 'latency', 'processors', 'memory', 'files'])
    expect(page).toContain(`id="alpha-http-${what}"`);
  expect(page.match(/class="mark"/g)?.length).toBeGreaterThanOrEqual(3);
});

test('a run that is no soak has no word of it', () => {
  const { soak: _soak, ...plain } = summary;
  expect(renderMarkdown(plain)).not.toMatch(/## Soak/);
});
