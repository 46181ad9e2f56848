import { summarize } from '@fair-bench/analysis';
import { passedTrial, planOf, runOf, voidTrial } from '@fair-bench/analysis/test-support';
import { parse } from 'csv-parse/sync';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { exportsOf } from '../src/exports/index.ts';

const plan = planOf({ targets: ['alpha-http', 'beta-http'] });
/** The second round of beta is void. */
const summary = summarize(
  runOf(plan, (cell, round) =>
    cell.target === 'beta-http' && round === 1
      ? voidTrial({ cell, round })
      : passedTrial({ cell, round, applied: 1000 + round }),
  ),
);
const texts = await exportsOf(summary);
const text = (name: string): string => texts[name] ?? '';
const alpha = summary.cells.find(({ target }) => target === 'alpha-http');
if (alpha?.status !== 'ok') throw new Error('alpha has no number');
const { mean, ci95 } = alpha.tps;

test('junit.xml is well formed; the void cell fails with its reason, and the measured one passes with its number', () => {
  expect(XMLValidator.validate(text('junit.xml'))).toBe(true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    isArray: (name) => name === 'testcase',
  });
  const parsed: unknown = parser.parse(text('junit.xml'));
  expect(parsed).toMatchObject({
    testsuites: {
      testsuite: {
        tests: '3',
        failures: '1',
        testcase: [
          { name: 'the comparison is fair', 'system-out': summary.verdict.label },
          { name: alpha.id, 'system-out': expect.stringMatching(/ operations\/s \[.*\], p99 .* ms$/) },
          { failure: { message: 'void', '#text': expect.stringContaining('a transfer was applied twice') } },
        ],
      },
    },
  });
});

test('results.csv has the numbers of the summary, and none of the void cell', () => {
  const lines = z
    .array(z.record(z.string(), z.string()))
    .parse(parse(text('results.csv'), { columns: true, skipEmptyLines: true }));
  expect(lines.map(({ cell, status }) => [cell, status])).toEqual(
    summary.cells.map(({ id, status }) => [id, status]),
  );
  const [first, second] = lines;
  expect(Number(first?.['tps'])).toBe(mean);
  expect([first?.['tps_low'], first?.['tps_high']].map(Number)).toEqual(ci95);
  expect(Number(first?.['latency_ms_p99'])).toBe(alpha.latencyMs.p99);
  expect(first).toMatchObject({ alpha: String(alpha.alpha), depth: String(alpha.depth), reason: '' });
  expect(second).toMatchObject({ tps: '', latency_ms_p99: '', applied: '' });
  expect(second?.['reason']).toContain('a transfer was applied twice');
});

test('github-action-benchmark.json is what the action reads as customBiggerIsBetter', () => {
  const entry = z.strictObject({
    name: z.string(),
    unit: z.string(),
    value: z.number(),
    range: z.string().optional(),
    extra: z.string().optional(),
  });
  const entries = z.array(entry).parse(JSON.parse(text('github-action-benchmark.json')));
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({ name: `${summary.run.workload} ${alpha.id}`, value: mean });
  expect(entries[0]?.range).toMatch(/^± [\d.]+ %$/);
});

test('metrics.txt is OpenMetrics: each line is metadata or a sample, and the last is the end', () => {
  const lines = text('metrics.txt').trimEnd().split('\n');
  expect(lines.at(-1)).toBe('# EOF');
  const metadata = /^# (TYPE|HELP|UNIT) fair_bench_[a-z_]+ .+$/;
  const sample = /^(fair_bench_[a-z_]+)(?:\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})? (\S+)$/;
  const samples = lines.slice(0, -1).filter((line) => !metadata.test(line));
  for (const line of samples) expect(line).toMatch(sample);
  const valueOf = (start: string): number =>
    Number(sample.exec(samples.find((line) => line.startsWith(start)) ?? '')?.[2]);
  expect(valueOf('fair_bench_operations_per_second{')).toBe(mean);
  expect(valueOf('fair_bench_operations_per_second_bound{')).toBe(ci95?.[0]);
  expect(samples.some((line) => line.includes('beta-http'))).toBe(false);
});
