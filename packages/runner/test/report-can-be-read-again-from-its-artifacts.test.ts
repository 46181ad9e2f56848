import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPassed, protocolVersion, readArtifacts, runSummarySchema } from '@fair-bench/results';
import { afterAll, expect, test } from 'vitest';
import { renderReport } from '../src/commands/render-report.ts';
import { renderTerminal } from '@fair-bench/report';
import { summarize } from '@fair-bench/analysis';
import { writeReports } from '../src/run/write-reports.ts';
import { removeFolder, scratchFolder, writeRun } from './support/run-folder.ts';
import { passedTrial, planOf, present, runOf, voidTrial } from '@fair-bench/analysis/test-support';

const scratch = await scratchFolder();
afterAll(async () => await removeFolder(scratch));

const plan = planOf({ targets: ['alpha-http', 'beta-http'], depths: [1, 8] });
const run = runOf(plan, (cell, round) =>
  cell.id.startsWith('beta-http-a0.5-d8') && round === 0
    ? voidTrial({ cell, round })
    : passedTrial({ cell, round, applied: 1000 + round }),
);
const options = { color: false, width: 120, verbose: true };

async function summaryIn(directory: string): Promise<unknown> {
  return JSON.parse(await readFile(join(directory, 'summary.json'), 'utf8'));
}

test('artifacts that are read again give the summary that was saved', async () => {
  const directory = await writeRun(scratch, 'again', run);
  const saved = await summaryIn(directory);
  expect(runSummarySchema.parse(saved)).toEqual(saved);
  expect(summarize(await readArtifacts(directory))).toEqual(saved);
  await rm(join(directory, 'report.md'));
  expect(await renderReport(directory, options)).toBe(renderTerminal(summarize(run), options));
  expect(await readFile(join(directory, 'report.md'), 'utf8')).toContain('FAIR');
  expect((await readdir(directory)).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

test('a run by load clients of an earlier protocol is read again', async () => {
  const earlier = {
    ...run,
    trials: run.trials.map((trial) =>
      isPassed(trial) ? { ...trial, result: { ...trial.result, protocol: protocolVersion - 1 } } : trial,
    ),
  };
  const directory = await writeRun(scratch, 'earlier', earlier);
  expect(await renderReport(directory, options)).toBe(renderTerminal(summarize(run), options));
});

test('a summary changed by hand is detected by its trials and left unchanged', async () => {
  const directory = await writeRun(scratch, 'changed', run);
  const path = join(directory, 'summary.json');
  const forged = (await readFile(path, 'utf8')).replace('"applied": 3003', '"applied": 9009');
  await writeFile(path, forged);
  const text = await renderReport(directory, options);
  expect(text).toMatch(/^summary\.json DIFFERS from the trials in /);
  expect(text).not.toContain('9,009');
  expect(await readFile(path, 'utf8')).toBe(forged);
});

test.each([
  ['plan.json', 'has no plan.json'],
  ['targets.json', 'has no targets.json'],
  ['trials', 'cannot be read'],
])('a folder without %s is refused in one line', async (file, said) => {
  const directory = await writeRun(scratch, `without-${file}`, run);
  await rm(join(directory, file), { recursive: true });
  await expect(renderReport(directory, options)).rejects.toMatchObject({
    name: 'InputError',
    message: expect.stringContaining(said),
  });
});

test('of a run that was killed, without its summary and its end, the trials that it finished are read', async () => {
  const directory = await writeRun(scratch, 'killed', run);
  const whole = await renderReport(directory, options);
  await rm(join(directory, 'summary.json'));
  await rm(join(directory, 'run.json'));
  const text = await renderReport(directory, options);
  expect(text).toMatch(
    /^the run in \S+ was killed before its end: this report is of the trials that it finished/,
  );
  expect(text).toContain('INTERRUPTED');
  // The numbers are those of the whole run.
  const tableOf = (of: string): string => /^Results\n(?:.+\n)+/m.exec(of)?.[0] ?? '';
  expect(tableOf(whole)).toMatch(/\d/);
  expect(tableOf(text)).toBe(tableOf(whole));
});

test('a trial file that is no trial is refused by its name', async () => {
  const directory = await writeRun(scratch, 'broken', run);
  const file = `trials/${present(plan.cells[0]).id}-r0.json`;
  await writeFile(join(directory, file), '{"status":"ok"}');
  await expect(renderReport(directory, options)).rejects.toThrow(file);
  await writeFile(join(directory, file), '{');
  await expect(renderReport(directory, options)).rejects.toThrow(/: not JSON/);
});

test('an invalid summary is refused before anything is written', async () => {
  const summary = summarize(run);
  const forged = { ...summary, comparisons: [{ ...present(summary.comparisons[0]), ratio: Number.NaN }] };
  await expect(writeReports(join(scratch, 'nowhere'), forged, run.trials)).rejects.toThrow(/ratio/);
});
