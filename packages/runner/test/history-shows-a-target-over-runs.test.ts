import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readRunIndex } from '@fair-bench/results';
import { environment, passedTrial, planOf, runOf } from '@fair-bench/analysis/test-support';
import { showHistory } from '../src/commands/show-history.ts';
import { removeFolder, scratchFolder, writeRun } from './support/run-folder.ts';

const results = await scratchFolder();
afterAll(async () => await removeFolder(results));
const index = join(results, 'index.json');
const text = { kind: 'text', verbose: false } as const;
const plan = planOf({ targets: ['alpha-http', 'beta-http'] });

/** Twelve runs; in the last six, of another commit, beta is a fifth slower. */
for (let run = 0; run < 12; run += 1) {
  const day = String(run + 1).padStart(2, '0');
  const commit = run < 6 ? 'aaa1111' : 'bbb2222';
  const input = runOf(plan, (cell, round) => {
    const applied = cell.target === 'beta-http' && run >= 6 ? 1600 : 2000;
    return passedTrial({ cell, round, applied: applied + ((run * 7) % 5) * 4 + round });
  });
  await writeRun(results, `run-${day}`, {
    ...input,
    startedAt: `2026-11-${day}T12:00:00.000Z`,
    environment: { ...environment, git: { commit, dirty: false } },
  });
}
const elsewhere = runOf(plan, (cell, round) => passedTrial({ cell, round, applied: 9000 }));
await writeRun(results, 'elsewhere', {
  ...elsewhere,
  startedAt: '2026-10-01T12:00:00.000Z',
  environment: { ...environment, cpu: { model: 'Other CPU', cores: 64 } },
});

describe('the index of results/', () => {
  test('has every run with its machine, commit and numbers, the earliest first', async () => {
    const { runs, unreadable } = await readRunIndex(results);
    expect(unreadable).toEqual([]);
    expect(runs.map(({ folder }) => folder).slice(0, 3)).toEqual(['elsewhere', 'run-01', 'run-02']);
    expect(runs[1]).toMatchObject({ machine: { cpuModel: 'Test CPU' }, commit: 'aaa1111', windowMs: 2000 });
    expect(runs[1]?.cells[0]).toMatchObject({
      id: 'alpha-http-a0.5-d1-s50',
      version: '1.2',
      trials: [1000, 1000.5, 1001],
    });
  });

  test('is rebuilt identically when it is missing, broken or old', async () => {
    const whole = await readRunIndex(results);
    const saved = await readFile(index, 'utf8');
    await rm(index);
    expect(await readRunIndex(results)).toEqual(whole);
    await writeFile(index, saved.slice(0, 100));
    expect(await readRunIndex(results)).toEqual(whole);
    await writeFile(index, saved.replace(/"folder":"run-05"/, '"folder":"gone"'));
    expect(await readRunIndex(results)).toEqual(whole);
    expect(await readFile(index, 'utf8')).toBe(saved);
  });

  test('leaves out an unreadable summary and reports it', async () => {
    const folder = await writeRun(results, 'torn', elsewhere);
    await writeFile(join(folder, 'summary.json'), '{"schemaVersion":');
    const { runs, unreadable } = await readRunIndex(results);
    expect(runs).toHaveLength(13);
    expect(unreadable).toEqual([expect.stringContaining(join('torn', 'summary.json'))]);
    await removeFolder(folder);
  });
});

describe('the history of a target', () => {
  test('shows its runs on one machine, a chart, its changes and what else changed', async () => {
    const shown = await showHistory(results, 'beta-http', text, 120);
    expect(shown).toContain('beta-http on Test CPU, 2 cores');
    expect(shown).toContain('1 run of other machines left out');
    expect(shown).toMatch(/slower from run-07 on: 0\.80\d × \(p = 0\.00\d+\); commit aaa1111 → bbb2222/);
    expect(shown.match(/●/g)).toHaveLength(12);
    expect(shown).toMatch(/run-07 +80\d .* bbb2222 +0\.80\d ×/);
    expect(shown).toContain('E-divisive');
  });

  test('shows no change in a steady series', async () => {
    expect(await showHistory(results, 'alpha-http', text, 120)).toContain('No change point.');
  });

  test('is a page that loads nothing, with every number', async () => {
    const path = await showHistory(results, 'beta-http', { kind: 'html', file: undefined });
    expect(path).toBe(join(results, 'history-beta-http.html'));
    const page = await readFile(path, 'utf8');
    expect(page).toContain('History of beta-http');
    expect(page.match(/class="dot"/g)).toHaveLength(12);
    expect(page).toContain('class="mark"');
    expect(page).toContain('slower from run-07 on');
    expect(page).not.toMatch(/(src|href)="https?:/);
  });

  test('of an unmeasured target is refused with the measured ones', async () => {
    await expect(showHistory(results, 'beta-htp', text)).rejects.toMatchObject({
      name: 'InputError',
      message: expect.stringMatching(
        /got "beta-htp"; accepts .*alpha-http, beta-http.*did you mean "beta-http"/,
      ),
    });
  });
});
