import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunSummary } from '@fair-bench/results';
import { afterAll, describe, expect, test } from 'vitest';
import { renderHtmlReport } from '../src/commands/render-report.ts';
import { parseCommandLine } from '../src/options/command-line.ts';
import { renderHtml } from '@fair-bench/report/html';
import { summarize } from '@fair-bench/analysis';
import { claim, explanation, largeRun, search } from '@fair-bench/report/test-support';
import { removeFolder, scratchFolder, writeRun } from './support/run-folder.ts';
import {
  passedTrial,
  outcomeOf,
  planOf,
  runOf,
  unfairRunOf,
  voidTrial,
} from '@fair-bench/analysis/test-support';

const scratch = await scratchFolder();
afterAll(async () => await removeFolder(scratch));

const run = largeRun();
const summary: RunSummary = { ...summarize(run), explanation, claim, search: [...search] };
const page = renderHtml(summary, run.trials);

test('the same input gives the same bytes, in any order of trials', () => {
  expect(renderHtml(structuredClone(summary), run.trials.toReversed())).toBe(page);
});

test('48 cells take less than 3 MB and less than a second', () => {
  expect(summary.cells).toHaveLength(48);
  expect(Buffer.byteLength(page)).toBeLessThan(3e6);
  // Processor time, and the least of three: other processes of a busy machine do not count.
  const secondsOnCpu = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    renderHtml(summary, run.trials);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
  expect(Math.min(...secondsOnCpu)).toBeLessThan(1);
});

test('it names nothing that a browser would fetch, and its policy lets one script run', () => {
  expect(page).not.toMatch(/<script |<link|<img|<iframe|<object|@import|url\(|\son\w+=/i);
  const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = '']) => script);
  expect(scripts).toHaveLength(1);
  const hash = createHash('sha256').update(scripts.join('')).digest('base64');
  expect(page).toContain(
    `content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'"`,
  );
});

test('the verdict comes first with every difference, then the answer, then the evidence for it', () => {
  const unfair = unfairRunOf(planOf({ targets: ['alpha-http', 'beta-http'] }));
  const text = renderHtml(summarize(unfair), unfair.trials);
  const places = [
    'NOT FAIR: this comparison breaks 2 rules',
    'beta-http has async',
    'id="overview"',
    'id="parity"',
  ];
  const found = places.map((place) => text.indexOf(place, text.indexOf('<body>')));
  expect(found).not.toContain(-1);
  expect(found.toSorted((a, b) => a - b)).toEqual(found);
});

describe('what has no number', () => {
  const plan = planOf({ targets: ['alpha-http', 'beta-http', 'gone-http'] });
  const input = runOf(
    plan,
    (cell, round) =>
      cell.target === 'beta-http' && round === 1
        ? voidTrial({ cell, round })
        : passedTrial({ cell, round, applied: cell.target === 'beta-http' ? 777_777_778 : 1000 }),
    {
      targets: plan.targets.map(({ target }) =>
        target === 'gone-http'
          ? outcomeOf(target, {
              unavailable: { reason: 'no binary here', remedy: 'install one' },
              facts: null,
            })
          : outcomeOf(target),
      ),
    },
  );
  const trials = input.trials.filter(({ cellId }) => !cellId.startsWith('gone'));
  const text = renderHtml(summarize({ ...input, trials }), trials);

  test('is named with its reason, in the chart of its load too', () => {
    expect(text).toContain('round 2: a transfer was applied twice');
    expect(text).toContain('unavailable: no binary here. Remedy: install one');
    const chart = text.slice(text.indexOf('role="img"'), text.indexOf('</svg>', text.indexOf('role="img"')));
    expect(chart).toMatch(/beta-http<\/text>[^]*void<\/text>/);
    expect(chart).not.toContain('gone-http');
  });

  test('has none, not even of its passed trials', () => {
    expect(text).not.toMatch(/388888889|388,888,889|777777778|777,777,778/);
  });
});

test('names, reasons and claims of a hostile kind stay text', () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&\u202Eevil`;
  const forged: RunSummary = {
    ...summary,
    run: { ...summary.run, id: hostile, command: hostile },
    cells: summary.cells.map((cell) =>
      cell.status === 'ok' ? { ...cell, target: hostile } : { ...cell, target: hostile, reason: hostile },
    ),
    comparisons: summary.comparisons.map((each) => ({ ...each, baseline: hostile })),
    explanation: { ...explanation, from: hostile, skipped: [{ cell: hostile, reason: hostile }] },
    claim: { ...claim, source: `javascript:alert(1)//${hostile}`, statement: hostile },
    search: search.map((one) => ({ ...one, target: hostile })),
    sweeps: (summary.sweeps ?? []).map((sweep) => ({
      ...sweep,
      curves: sweep.curves.map((curve) => ({ ...curve, target: hostile })),
    })),
  };
  const text = renderHtml(forged, run.trials);
  expect(text).not.toMatch(/<script>alert|<img|href="javascript|\u202E/i);
  expect(text.match(/<script/g)).toHaveLength(1);
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});

test.each<[string, Parameters<typeof planOf>[0]]>([
  ['one target and one round', { targets: ['alpha-http'], rounds: 1 }],
  ['one cell of each of two targets', { targets: ['alpha-http', 'beta-http'] }],
])('a run of %s is a whole page too', (_what, shape) => {
  const small = runOf(planOf(shape), (cell, round) => passedTrial({ cell, round, applied: 1000 }));
  const text = renderHtml(summarize(small), small.trials);
  expect(text).toMatch(/<\/html>\s*$/);
  expect(text).not.toMatch(/NaN|undefined|Infinity|\[object/);
  for (const chapter of ['explanation', 'claim', 'search', 'sweeps', 'not-measured']) {
    expect(text).not.toContain(`id="${chapter}"`);
  }
});

test('no coordinate of the large run is lost', () => {
  expect(page).not.toMatch(/NaN|undefined|Infinity|\[object/);
});

describe('report --html', () => {
  test('renews the page in the folder, or writes it elsewhere', async () => {
    const directory = await writeRun(scratch, 'large', run);
    const own = join(directory, 'report.html');
    const written = await readFile(own, 'utf8');
    expect(written).toBe(renderHtml(summarize(run), run.trials));
    expect(await renderHtmlReport(directory, undefined)).toBe(own);
    expect(await readFile(own, 'utf8')).toBe(written);
    const elsewhere = join(scratch, 'page.html');
    expect(await renderHtmlReport(directory, elsewhere)).toBe(elsewhere);
    expect(await readFile(elsewhere, 'utf8')).toBe(written);
  });

  test('is requested by its option, and a file for it by --out', () => {
    const html = (file: string | undefined) => ({
      kind: 'report',
      directory: 'a',
      format: { kind: 'html', file },
    });
    expect(parseCommandLine(['report', 'a', '--html'])).toEqual(html(undefined));
    expect(parseCommandLine(['report', 'a', '--html', '--out', 'b.html'])).toEqual(html('b.html'));
    expect(parseCommandLine(['report', 'a'])).toMatchObject({ format: { kind: 'text' } });
    expect(() => parseCommandLine(['report', 'a', '--out', 'b.html'])).toThrow(
      /^--out: got "b.html" without --html/,
    );
  });

  test('refuses a file that cannot be written, with its name', async () => {
    const directory = await writeRun(scratch, 'unwritable', run);
    await expect(renderHtmlReport(directory, join(scratch, 'no', 'folder.html'))).rejects.toMatchObject({
      name: 'InputError',
      message: expect.stringContaining('folder.html'),
    });
  });
});
