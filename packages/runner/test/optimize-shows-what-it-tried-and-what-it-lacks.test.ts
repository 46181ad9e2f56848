import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderReport } from '../src/commands/render-report.ts';
import { readSummary, startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';

/** A run of a few short trials, on a machine that also runs other tests. */
const runMsMax = 180_000;

let parent: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'fair-bench-optimized-'));
});

afterAll(async () => {
  await rm(parent, { recursive: true, force: true });
});

/** What a server waits with each operation bounds how many a trial has: nothing here depends on their number. */
const small =
  'bench --mode optimized --measure-again 3 --systems null-http --set null-http.delayMs=10 --processes 1 --durability durable --alpha 0.5 --accounts 1000 --duration 300ms --warmup 100ms --trials 1 --sessions 2,4 --depth 4'.split(
    ' ',
  );

test(
  'every point that was tried is in the summary, in the report and as a record, and they are bounded',
  async () => {
    const out = join(await mkdtemp(join(parent, 'run-')), 'searched');
    const run = startCommand([...small, '--client', 'node', '--out', out]);
    expect(await run.ended, run.output()).toBe(0);
    const { search, cells, run: about, verdict } = await readSummary(out);
    // A calibration target has no commits that could be durable.
    expect(verdict.differences.map(({ rule }) => rule)).not.toContain('F1');
    const [found] = search ?? [];
    expect(about.mode).toBe('optimized');
    expect(search).toHaveLength(1);
    expect(found?.points.length).toBeGreaterThan(1);
    expect(found?.points.length).toBeLessThanOrEqual(4);
    const [, trials] = /points, (\d+) trials/.exec(run.output()) ?? [];
    const records = (await readdir(join(out, 'search'))).filter(
      (name) => name.startsWith('null-http') && name.endsWith('.json'),
    );
    expect(records).toHaveLength(Number(trials));
    expect(run.output()).toContain(`null-http: best ${cells[0]?.id}, `);
    expect(run.output()).toContain(`${found?.points.length} points, `);
    const counted = [...run.output().matchAll(/\[(\d+)\/(\d+)\]/g)];
    expect(counted.filter(([, count, all]) => Number(count) > Number(all))).toEqual([]);
    expect(cells.map(({ status, sessions, depth }) => ({ status, sessions, depth }))).toEqual([
      { status: 'ok', ...found?.chosen },
    ]);
    const report = await renderReport(out, { color: false, width: 160, verbose: true });
    expect(report).not.toContain('DIFFERS');
    expect(report).toContain(`${found?.chosen?.sessions} × ${found?.chosen?.depth}`);
  },
  runMsMax,
);

test(
  'without cargo the cells of the native client are unavailable with the remedy, and the others are measured',
  async () => {
    const words = [...small, '--client', 'node,native', '--verbose'];
    // What the runtime lies in, and nothing that could build.
    const environment = { ...process.env, PATH: dirname(process.execPath) };
    const { out, code, output } = await measured(parent, (to) =>
      startCommand([...words, '--out', to], environment),
    );
    expect(code, output).toBe(1);
    const { cells } = await readSummary(out);
    expect(cells.find(({ client }) => client === 'node')?.status).toBe('ok');
    expect(cells.find(({ client }) => client === 'native')).toMatchObject({
      status: 'unavailable',
      reason: expect.stringContaining('cargo'),
      remedy: expect.stringContaining('Rust'),
    });
    expect(output).toMatch(/unavailable: cargo.*Remedy: install Rust/s);
  },
  runMsMax,
);
