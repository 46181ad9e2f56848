import { mkdtempSync, rmSync } from 'node:fs';
import { inTestAll } from '@fair-bench/contract/test-support';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCommand } from './support/command.ts';

test.each([
  { words: ['bench', '--mode', 'published'], command: 'npm run bench -- --mode published --claim pr-4432' },
  { words: ['explain'], command: 'npm run explain -- --claim pr-4432' },
])(
  '$words without a claim lists the claims, what of each can be measured, and the command',
  async ({ words, command }) => {
    const run = startCommand(words);
    expect(await run.ended, run.output()).toBe(2);
    const lines = run.output().split('\n');
    expect(lines).toContain(command);
    // PostgreSQL comes with the packages, so some of it can be measured anywhere.
    expect(lines[lines.indexOf(command) + 1]).toMatch(/^ {2}[1-9]\d* of \d+ statements can be measured here/);
    expect(run.output()).toContain('--claim NAME, one of those above');
  },
);

test('what a claim needs beside a server is lacking too: a pooler, a program, the native client', async () => {
  const { CARGO_HOME: _cargo, FAIR_BENCH_NATIVE_BIN: _native, ...others } = process.env;
  const empty = mkdtempSync(join(tmpdir(), 'fair-bench-no-programs-'));
  const run = startCommand(['explain'], {
    ...others,
    PATH: empty,
    HOME: empty,
    FAIR_BENCH_PGDOG_BIN: join(empty, 'pgdog'),
  });
  await run.ended;
  rmSync(empty, { recursive: true });
  const lines = run.output().split('\n');
  const of = (claim: string): string =>
    lines[lines.indexOf(`npm run explain -- --claim ${claim}`) + 1]?.trim() ?? '';
  expect(of('pgdog')).toMatch(/^0 of \d+ statements can be measured here; postgres-driver: .*pgdog/i);
  expect(of('redb-readme')).toMatch(/^0 of \d+ statements can be measured here; .*redb-embedded.*: cargo/);
  expect(of('twicedb')).toMatch(/; TwiceDB has no connector here/);
});

inTestAll(() => {
  test('bench without a mode says in one line that it measures what fair-bench does, and names the other modes', async () => {
    const small =
      '--systems null-http --alpha 0.5 --depth 1 --accounts 100 --sessions 4 --trials 1 --warmup 100ms --duration 200ms --measure-again 0';
    const said = async (command: string): Promise<string[]> => {
      const out = mkdtempSync(join(tmpdir(), 'fair-bench-first-'));
      const run = startCommand([command, ...small.split(' '), '--out', join(out, 'run')]);
      await run.ended;
      rmSync(out, { recursive: true });
      return run.output().split('\n');
    };
    const ofModes =
      /^bench in fair mode measures what fair-bench does: .*--mode optimized .*--mode published /;
    expect((await said('bench')).filter((line) => ofModes.test(line))).toHaveLength(1);
    expect((await said('fair-bench')).filter((line) => ofModes.test(line))).toEqual([]);
  }, 60_000);
});
