import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RunSummary } from '@fair-bench/results';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { renderHtml } from '@fair-bench/report/html';
import { summarize } from '@fair-bench/analysis';
import { findChromium, launchBrowser } from './support/browser.ts';
import { colorsOf, contrast, luminance } from './support/page-colors.ts';
import { claim, explanation, largeRun, search } from '@fair-bench/report/test-support';
import { removeFolder, scratchFolder } from './support/run-folder.ts';
import { present } from '@fair-bench/analysis/test-support';

const run = largeRun();
const summary = summaryOf(run);
/** Every kind of part, a few times: a page that axe reads in a second. */
const short = largeRun({ alphas: [0.5, 1.5], depths: [1, 64] });
const measured = summary.cells.filter((cell) => cell.status === 'ok');
const chromium = findChromium();
const needsChromium = { meta: { whySkipped: 'Chromium was not found' } };

describe.skipIf(chromium === null)('in a browser, the HTML report', needsChromium, () => {
  let scratch = '';
  let url = '';
  let shortUrl = '';
  let browser: Browser;

  beforeAll(async () => {
    scratch = await scratchFolder();
    const write = async (name: string, html: string): Promise<string> => {
      const file = join(scratch, name);
      await writeFile(file, html);
      return pathToFileURL(file).href;
    };
    url = await write('report.html', renderHtml(summary, run.trials));
    shortUrl = await write('short.html', renderHtml(summaryOf(short), short.trials));
    browser = await launchBrowser(present(chromium ?? undefined));
  });
  afterAll(async () => {
    await browser.close();
    await removeFolder(scratch);
  });

  /** Opens the page; returns it with its messages and requests. */
  async function open(options: BrowserContextOptions = {}, at = url) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const opened = await context.newPage();
    const said: string[] = [];
    const requested: string[] = [];
    opened.on('console', (message) => said.push(message.text()));
    opened.on('pageerror', (error) => said.push(error.message));
    opened.on('request', (request) => requested.push(request.url()));
    await opened.goto(at);
    return { page: opened, said, requested };
  }

  /** The same with every folded chapter open. */
  async function openAll(options: BrowserContextOptions = {}, at = url) {
    const opened = await open(options, at);
    await opened.page.evaluate(
      'document.querySelectorAll(".chapter").forEach((one) => { one.open = true; })',
    );
    return opened;
  }

  let untouched: ReturnType<typeof openAll> | undefined;
  /** The same page for all tests that only read it. */
  async function read(): Promise<Page> {
    untouched ??= openAll();
    return (await untouched).page;
  }

  test('says nothing in the console and requests nothing but itself', async () => {
    const { said, requested, page } = await openAll();
    for (const element of (await page.locator('figure summary').all()).slice(0, 40)) await element.click();
    expect(said).toEqual([]);
    expect(requested).toEqual([url]);
  });

  test('has every chart, with a name and something drawn', async () => {
    const page = await read();
    const charts = await page.locator('svg[role=img]').evaluateAll((elements) =>
      elements.map((element) => ({
        name: element.getAttribute('aria-label') ?? '',
        width: element.getBoundingClientRect().width,
        drawn: [...element.querySelectorAll('rect.area, path.curve')].filter((shape) => {
          const box = shape.getBoundingClientRect();
          return box.width + box.height > 1;
        }).length,
        figure: element.closest('figure')?.querySelectorAll('details table').length,
      })),
    );
    // 12 loads: three charts in the overview, latency by percentile and CPU of each; the seconds of each cell; one
    // waterfall; throughput and latency of the search; sweeps.
    expect(charts).toHaveLength(5 * 12 + measured.length + 1 + 2 + present(summary.sweeps).length);
    expect(charts.filter(({ name, width, drawn }) => name.length < 10 || width < 200 || drawn === 0)).toEqual(
      [],
    );
    expect(charts.every(({ figure }) => figure === 1)).toBe(true);
    expect(new Set(charts.map(({ name }) => name)).size).toBe(charts.length);
  });

  test('has the numbers of summary.json, exactly', async () => {
    const page = await read();
    const rows = await rowsOf(page, 'overview');
    const expected = measured.map(({ target, tps }) => [
      target,
      ...[tps.mean, ...present(tps.ci95 ?? undefined), ...present(tps.anyRun).ci95, ...tps.trials].map(
        String,
      ),
    ]);
    expect(rows.filter((row) => row.length > 4).toSorted(byText)).toEqual(expected.toSorted(byText));

    const ranges = measured.map(({ target, latencyMs: { p50, p99 } }) => [target, p50, p99].map(String));
    expect(rows.filter((row) => row.length === 3).toSorted(byText)).toEqual(ranges.toSorted(byText));
    const serverCpu = measured.map(({ target, cpuUsPerTxn: { appServer, database } }) =>
      [target, appServer === null && database === null ? '–' : (appServer ?? 0) + (database ?? 0)].map(
        String,
      ),
    );
    expect(rows.filter((row) => row.length === 2).toSorted(byText)).toEqual(serverCpu.toSorted(byText));

    const latency = await rowsOf(page, 'latency');
    const tails = measured.map(({ target, latencyMs: { mean, p50, p95, p99, p999, max } }) =>
      [target, mean, p50, p95, p99, p999, max].map(String),
    );
    // Columns: cell, mean, p50, p90, p95, p99, p99.9, p99.99, max.
    const shown = latency.map((row) => row.filter((_text, column) => ![3, 7].includes(column)));
    expect(shown.toSorted(byText)).toEqual(tails.toSorted(byText));

    const cpu = await rowsOf(page, 'cpu');
    const spent = measured.map(({ target, cpuUsPerTxn: { client, appServer, database } }) =>
      [target, client, appServer ?? '–', database ?? '–'].map(String),
    );
    expect(cpu.toSorted(byText)).toEqual(spent.toSorted(byText));

    const waterfall = await rowsOf(page, 'explanation');
    const steps = explanation.path.map(({ multiplier }) => multiplier);
    expect(waterfall.map((row) => row[1])).toEqual(
      [claim.claimedRatio, explanation.ratio, ...steps].map(String),
    );
  });

  test('draws bars as long as their numbers', async () => {
    const page = await read();
    const lengths = await page
      .locator('#overview figure')
      .first()
      .locator('rect.area')
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    const means = measured
      .filter(({ alpha, depth }) => alpha === 0 && depth === 1)
      .map(({ tps }) => tps.mean)
      .toSorted((a, b) => b - a);
    const longest = Math.max(...lengths);
    const most = Math.max(...means);
    expect(lengths).toHaveLength(means.length);
    for (const [index, length] of lengths.entries()) {
      expect(length / longest).toBeCloseTo((means[index] ?? 0) / most, 2);
    }
  });

  test('shows throughput, latency and server CPU time in one order and one colour for each target', async () => {
    const page = await read();
    const charts = await page.locator('#overview figure svg.chart').evaluateAll((elements) =>
      elements.slice(0, 3).map((chart) => {
        return [...chart.querySelectorAll('g')].map((bar) => ({
          name: bar.querySelector('text.name')?.textContent,
          // Nothing is drawn of what was not observed.
          colour: bar.querySelector('rect.area')?.getAttribute('class') ?? null,
          hover: bar.querySelector('title')?.textContent ?? '',
          isInLabel: chart
            .getAttribute('aria-label')
            ?.includes(bar.querySelector('title')?.textContent ?? '?'),
        }));
      }),
    );
    const [throughput = [], latency, cpu] = charts;
    const first = measured.filter(({ alpha, depth }) => alpha === 0 && depth === 1);
    expect(throughput).toHaveLength(first.length);
    expect(new Set(throughput.map(({ colour }) => colour)).size).toBe(first.length);
    expect(latency).toEqual(throughput);
    const isObserved = new Map(
      first.map(({ target, cpuUsPerTxn: { appServer, database } }) => [
        target,
        (appServer ?? database) !== null,
      ]),
    );
    expect(new Set(isObserved.values())).toEqual(new Set([true, false]));
    expect(cpu).toEqual(
      throughput.map((bar) => ({
        ...bar,
        colour: isObserved.get(bar.name ?? '') === true ? bar.colour : null,
      })),
    );
    const { target, client, route, facts } = present(first.toSorted((a, b) => b.tps.mean - a.tps.mean)[0]);
    expect(throughput[0]?.hover).toMatch(new RegExp(`^${target}: ${client} client, `));
    expect(throughput[0]?.hover).toContain(`route ${route}, ${facts.system.name} ${facts.system.version}`);
    expect(throughput.every(({ isInLabel }) => isInLabel)).toBe(true);
  });

  test.each(['light', 'dark'] as const)('can be read in %s', async (colorScheme) => {
    const { page } = await openAll({ colorScheme });
    const found = await colorsOf(page);
    const background = luminance(found.page);
    expect(background > 0.5).toBe(colorScheme === 'light');
    for (const text of found.texts) expect(contrast(text, found.page)).toBeGreaterThan(4.5);
    for (const mark of found.marks) expect(contrast(mark, found.panel)).toBeGreaterThan(3);
  });

  test('does not scroll sideways on a phone, and its charts can be read there', async () => {
    const { page } = await openAll({ viewport: { width: 390, height: 844 } });
    for (const element of (await page.locator('figure summary').all()).slice(0, 15)) await element.click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    const heights = await page
      .locator('svg.chart text')
      .evaluateAll((texts) => texts.map((text) => text.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThan(9);
    const outside = await page.locator('svg.chart').evaluateAll((charts) =>
      charts.flatMap((chart) => {
        const { left, right } = chart.getBoundingClientRect();
        return [...chart.querySelectorAll('text')].flatMap((text) => {
          const box = text.getBoundingClientRect();
          return box.left < left - 1 || box.right > right + 1 ? [text.textContent] : [];
        });
      }),
    );
    expect(outside).toEqual([]);
  });

  test('prints on white, whatever the screen is, with every chart', async () => {
    const { page } = await openAll({ colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(luminance((await colorsOf(page)).page)).toBeGreaterThan(0.95);
    const document = await page.pdf({ format: 'A4' });
    expect(document.subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('shows the answer and its chart on the first screen, the rest folded', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 800 } });
    const bottomOf = async (selector: string): Promise<number> => {
      const box = await page.locator(selector).first().boundingBox();
      return present(box ?? undefined).y + present(box ?? undefined).height;
    };
    expect(await bottomOf('.answer')).toBeLessThan(400);
    expect(await bottomOf('.lead figure svg')).toBeLessThanOrEqual(800);
    expect(await page.locator('.chapter').count()).toBeGreaterThan(5);
    expect(await page.locator('.chapter[open]').count()).toBe(0);
    expect(await page.locator('.chapter figure').first().isVisible()).toBe(false);
  });

  test('a link to a chart opens the chapter that it is in', async () => {
    const { page } = await open();
    const id = present((await page.locator('.chapter figure').first().getAttribute('id')) ?? undefined);
    await page.goto(`${url}#${id}`);
    expect(await page.locator(`#${id}`).isVisible()).toBe(true);
  });

  test('copies the numbers behind a chart as Markdown and as CSV', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const figure = page.locator('.lead figure').first();
    await figure.locator('details summary').click();
    await figure.getByRole('button', { name: 'Copy as CSV' }).click();
    await figure.getByRole('button', { name: 'Copied' }).waitFor();
    const csv = z.string().parse(await page.evaluate('navigator.clipboard.readText()'));
    const { name, from, to, multiplier } = present(explanation.path[0]);
    expect(csv).toContain(`\n${name}: ${from} → ${to},${multiplier},`);
    await figure.getByRole('button', { name: 'Copy as Markdown' }).click();
    await expect
      .poll(async () => await page.evaluate('navigator.clipboard.readText()'))
      .toContain(`| ${name}: ${from} → ${to} | ${multiplier} |`);
  });

  // Colours do not depend on the width, nor anything else on the colours.
  test.each([
    ['in light on a desk', { colorScheme: 'light' }, {}],
    [
      'on a phone',
      { viewport: { width: 390, height: 800 } },
      { rules: { 'color-contrast': { enabled: false } } },
    ],
    ['in dark', { colorScheme: 'dark' }, { runOnly: ['color-contrast'] }],
  ] as const)('axe finds no barrier %s', async (_where, options, rules) => {
    const { page } = await openAll({ ...options, bypassCSP: true }, shortUrl);
    await page.addScriptTag({ content: axe.source });
    const found = axeResultSchema.parse(
      await page.evaluate(`axe.run(${axeParts}, ${JSON.stringify(rules)})`),
    );
    expect(found.violations).toEqual([]);
  });

  test('can be used by keyboard: tables open, and scroll by themselves', async () => {
    const { page } = await openAll();
    const first = page.locator('figure details').first();
    await first.locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await first.locator('table').isVisible()).toBe(true);
    expect(await page.locator('.scroll:not([tabindex="0"])').count()).toBe(0);
  });
});

function summaryOf(input: ReturnType<typeof largeRun>): RunSummary {
  return { ...summarize({ ...input, earlierRuns: [] }), explanation, claim, search: [...search] };
}

/** The rows of all tables behind the charts of a chapter: exact numbers where there are some, else texts. */
async function rowsOf(page: Page, chapter: string): Promise<readonly (readonly string[])[]> {
  return await page
    .locator(`#${chapter} figure tbody tr`)
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.children].map((cell) => cell.querySelector('data')?.value ?? cell.textContent ?? ''),
      ),
    );
}

/** Of every kind of part one: what is left out is drawn by the same code. */
const axeParts = `{ include: ['header', '.first', '#results', '#search', '#parity', '#claim', '#overview > .charts > figure:first-child'] }`;

const axeResultSchema = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

function byText(a: readonly string[], b: readonly string[]): number {
  return a.join() < b.join() ? -1 : 1;
}
