import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ended, runInOneProcess } from './support/commands-in-one-process.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'fair-bench-cli-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function run(words: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  return await new Promise((resolve) => {
    const options = { timeout: 30_000, env: { ...process.env, ...environment } };
    execFile(process.execPath, [main, ...words], options, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}

/** Asserts on one refusal; returns the line that it printed. */
function refusalOf(ended: Ended | undefined): string {
  const { code, stdout, stderr } = ended ?? { code: null, stdout: '', stderr: '' };
  expect(stderr).toMatch(/^fair-bench: [^\n]+\n$/);
  expect(code).toBe(2);
  expect(stdout).toBe('');
  return stderr;
}

const occupied = join(scratch, 'occupied');
writeFileSync(occupied, '');

/** Words of the command line, and the required text of its one line. */
const refusals: readonly (readonly [words: readonly string[], said: readonly RegExp[]])[] = [
  [
    ['--systems', 'postgres-drizle'],
    [/--systems: got "postgres-drizle"/, /did you mean "postgres-drizzle"/, /sqlite-drizzle/],
  ],
  [['--systems', ''], [/--systems: got ""; accepts names/]],
  [['--alpha', '-1'], [/--alpha: got "-1"/]],
  [['--alpha', '33'], [/--alpha: got "33"/]],
  [['--alpha', 'much'], [/--alpha: got "much"; accepts numbers/]],
  [['--alpha', '0.5,0.5'], [/--alpha: got "0.5,0.5"; accepts .* each once/]],
  [['--depth', '0'], [/--depth: got "0"; accepts whole numbers from 1/]],
  [['--depth', '1,,8'], [/--depth: got "1,,8"/]],
  [['--depth', '1.5'], [/--depth: got "1.5"/]],
  [['--sessions', '0'], [/--sessions: got "0"; accepts whole numbers from 1/]],
  [['--duration', '10x'], [/--duration: got "10x"; accepts .*10s/]],
  [['--duration', '10'], [/--duration: got "10"/]],
  [['--duration', '0s'], [/--duration: got "0s"/]],
  [['--warmup', '-1s'], [/--warmup: got "-1s"/]],
  [['--trials', '0'], [/--trials: got "0"; accepts a whole number from 1/]],
  [['--seed', 'abc'], [/--seed: got "abc"; accepts a whole number/]],
  [['--seed', '18446744073709551616'], [/--seed: got "18446744073709551616"/]],
  [['--rate', '0'], [/--rate: got "0"; accepts .* above 0/]],
  [['--accounts', '1'], [/--accounts: got "1"; accepts a whole number from 2/]],
  [['--url', 'postgres'], [/--url: got "postgres"; accepts SYSTEM=URL/]],
  [['--url', 'postgres=not a url'], [/--url: got "postgres=not a url"; accepts SYSTEM=URL/]],
  [
    ['--url', 'postgrs=postgres://127.0.0.1:5432/x'],
    [/--url: got "postgrs=…"/, /did you mean "postgres"/],
  ],
  [
    ['--systems', 'sqlite-drizzle', '--url', 'postgres=postgres://127.0.0.1:5432/x'],
    [/--url: got "postgres=…"; accepts systems that --systems names/],
  ],
  [['--set', 'delayMs=5'], [/--set: got "delayMs=5"; accepts TARGET.KEY=VALUE/]],
  [['--set', 'nobody.delayMs=5'], [/--set: got "nobody.delayMs=5"; accepts targets of this run/]],
  [['--processes', '0'], [/--processes: got "0"/]],
  [['--pool-size', '0'], [/--pool-size: got "0"/]],
  [['--threads', 'all'], [/--threads: got "all"/]],
  [
    ['--data-dir', join(scratch, 'nowhere')],
    [/--data-dir: got/, /ENOENT/],
  ],
  [['--p99-max', '20ms'], [/unknown option '--p99-max': other commands take it/]],
  [['--frobnicate'], [/unknown option '--frobnicate'/, /--help/]],
  [
    ['--duraton', '3s'],
    [/unknown option '--duraton'/, /--duration/],
  ],
  [['--seed'], [/'--seed <number>' argument missing/]],
  [['stray'], [/stray|too many arguments/]],
];

describe('a bad option is one line, exit code 2, and no results folder', () => {
  const outs = refusals.map(() => join(mkdtempSync(join(scratch, 'case-')), 'results'));
  let ended: readonly Ended[] = [];
  beforeAll(async () => {
    ended = await runInOneProcess(
      refusals.map(([words], index) => ['fair-bench', '--out', outs[index] ?? '', ...words]),
    );
  });

  test.each([...refusals.entries()])('%i: %j', (index, [, said]) => {
    const line = refusalOf(ended[index]);
    for (const pattern of said) expect(line).toMatch(pattern);
    expect(existsSync(outs[index] ?? '')).toBe(false);
  });
});

describe('a results folder that cannot be used', () => {
  test.concurrent.each([
    ['a file', occupied, /is a file/],
    ['below a file', join(occupied, 'deep', 'run'), /is a file/],
    ['where nobody can write', '/proc/fair-bench/run', /--out/],
  ])('%s', async (_what, out, said) => {
    const line = refusalOf(await run(['fair-bench', '--out', out]));
    expect(line).toContain(`--out: got "${out}"`);
    expect(line).toMatch(said);
  });

  test.concurrent('the folder of another run is not overwritten', async () => {
    const out = mkdtempSync(join(scratch, 'taken-'));
    writeFileSync(join(out, 'summary.json'), '{}');
    const line = refusalOf(await run(['fair-bench', '--out', out]));
    expect(line).toMatch(/--out: .*summary\.json exists already/);
    expect(readdirSync(out)).toEqual(['summary.json']);
  });
});

describe('an endpoint that refuses', () => {
  test.concurrent('is reported before anything is started, without its password', async () => {
    const out = join(mkdtempSync(join(scratch, 'refused-')), 'results');
    const url = `postgres://someone:hush@127.0.0.1:${await closedPort()}/nothing`;
    const words = ['--systems', 'postgres-driver', '--url', `postgres=${url}`, '--out', out];
    const line = refusalOf(await run(['fair-bench', ...words]));
    expect(line).toMatch(/--url: got "postgres=postgres:\/\/someone:\*\*\*@127\.0\.0\.1/);
    expect(line).toMatch(/ECONNREFUSED|refused/);
    expect(line).not.toContain('hush');
    expect(existsSync(out)).toBe(false);
  });
});

describe('other commands', () => {
  const others: readonly (readonly [words: readonly string[], said: RegExp])[] = [
    [['kill-test', '--systems', 'null-http'], /--systems: got "null-http"; accepts databases/],
    [['kill-test', '--workload', 'point-read'], /--workload: got "point-read"; accepts workloads with an/],
    [['bench', '--mode', 'quick'], /--mode: got "quick"; accepts one of fair, optimized, published/],
    [['bench', '--mode', 'optimized', '--durability', 'maybe'], /--durability: got "maybe"; accepts /],
    [['bench', '--mode', 'optimized', '--zone', '100%'], /--zone: got "100%"; accepts .* to 50%/],
    [
      ['bench', '--mode', 'published', '--claim', 'pr-4423'],
      /--claim: got "pr-4423"; .*did you mean "pr-4432"/,
    ],
    [
      ['bench', '--mode', 'published', '--claim', 'pr-4432', '--alpha', '2'],
      /--alpha: got "2"; accepts nothing with --mode published/,
    ],
    [['bench', '--claim', 'x'], /--claim: got "x" with --mode fair/],
    [['fair-bench', '--mode', 'published'], /unknown option '--mode'/],
    [['report', join(scratch, 'nowhere')], /RUN: got ".*nowhere"; accepts a folder with a summary\.json/],
    [['compare', occupied, occupied, '--fail-on', 'rain'], /--fail-on: got "rain"; accepts regression/],
    [['history'], /missing required argument/],
    [['history', 'no-such-target', '--out', 'a.html'], /--out: got "a.html" without --html/],
    [['compare', occupied], /missing required argument/],
    [['new-connector', 'Postgres'], /NAME: got "Postgres"; accepts <system>-<route>/],
    [['new-connector', 'postgres-driver'], /NAME: got "postgres-driver"; accepts a name that is free/],
    [['bench:self', '--only', 'memory,mind'], /--only: got "mind"; accepts.*known-delay, memory/],
    [['list', '--yaml'], /unknown option '--yaml'/],
    [['frobnicate'], /unknown command 'frobnicate'/],
    [[], /no command given/],
  ];
  let ended: readonly Ended[] = [];
  beforeAll(async () => {
    ended = await runInOneProcess(others.map(([words]) => words));
  });

  test.each([...others.entries()])('%i: %j', (index, [, said]) => {
    expect(refusalOf(ended[index])).toMatch(said);
  });

  test.concurrent('an unknown name in the environment', async () => {
    const line = refusalOf(await run(['list'], { FAIR_BENCH_DATADIR: '/tmp' }));
    expect(line).toMatch(/got FAIR_BENCH_DATADIR="\/tmp"; accepts FAIR_BENCH_DATA_DIR/);
  });

  test.concurrent('help is no error', async () => {
    const { code, stdout, stderr } = await run(['fair-bench', '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const option of [
      '--systems',
      '--alpha',
      '--rate',
      '--url',
      '--no-scramble',
      '--pool-size',
      '--set',
    ]) {
      expect(stdout).toContain(option);
    }
  });
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
