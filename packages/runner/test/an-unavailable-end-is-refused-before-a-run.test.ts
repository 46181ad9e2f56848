import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPlanSchema } from '@fair-bench/results';
import { afterAll, expect, test } from 'vitest';
import { startCommand } from './support/command.ts';

const scratch = mkdtempSync(join(tmpdir(), 'fair-bench-ends-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A machine without SpacetimeDB. */
const nowhere = { ...process.env, FAIR_BENCH_SPACETIMEDB_BIN: join(scratch, 'nowhere') };
const lack = /spacetimedb-sdk\S*: .*FAIR_BENCH_SPACETIMEDB_BIN=.*; name a server of 2\.0 or later by --url/;
const unreachable = ['--url', 'postgres=postgres://me:hush@127.0.0.1:1/none'];

test.each([
  [
    'the headline of a claim',
    'explain --claim keynote-2-2026-05 --budget 10m',
    /--claim: got "keynote-2-2026-05"; accepts a claim whose ends are both available here/,
  ],
  ['the end of a gap', 'explain --from null-http --to spacetimedb-sdk', /--to: got "spacetimedb-sdk"/],
  [
    'the end whose best depth would be searched first',
    'explain --from spacetimedb-sdk --to null-http[client=native]',
    /--from: got "spacetimedb-sdk"/,
  ],
  [
    'every statement of a claim',
    'bench --mode published --claim convex-comparison',
    /--claim: got "convex-comparison"; accepts a claim with a statement whose targets are both available here/,
  ],
  [
    'one of two to be compared',
    'compare --interleave null-http spacetimedb-sdk',
    /--interleave: got "spacetimedb-sdk"; accepts two targets that are available here/,
  ],
])(
  '%s is refused with the fact and the remedy',
  async (_, words, refusal) => {
    const out = join(mkdtempSync(join(scratch, 'refused-')), 'run');
    const command = startCommand([...words.split(' '), '--out', out], nowhere);
    expect(await command.ended, command.output()).toBe(2);
    expect(command.output()).toMatch(refusal);
    expect(command.output()).toMatch(lack);
    expect(existsSync(out)).toBe(false);
  },
  30_000,
);

test('an end at a URL that does not answer is refused before another end is measured', async () => {
  const words = 'explain --from null-http --to postgres-driver[client=native]'.split(' ');
  const command = startCommand([...words, ...unreachable], nowhere);
  expect(await command.ended, command.output()).toBe(2);
  expect(command.output()).toMatch(/--url: got "postgres=postgres:\/\/me:\*\*\*@.*ECONNREFUSED/);
}, 30_000);

test('of a claim the statements that cannot be measured are listed with the reason before a target starts', async () => {
  const out = join(mkdtempSync(join(scratch, 'partly-')), 'run');
  const claim = 'bench --mode published --claim keynote-2-2026-05 --trials 1'.split(' ');
  const command = startCommand([...claim, '--out', out], nowhere);
  await command.saw('unavailable: ');
  command.child.kill('SIGINT');
  expect(await command.ended, command.output()).toBe(130);
  const said = command.output().split(/: (?:un)?(?:available|ready)/)[0] ?? '';
  expect(said).toMatch(/^not measured: “SpacetimeDB against Node \+ Postgres at alpha 0 /m);
  expect(said).toMatch(lack);
  expect(said).not.toContain('“pipelining of 40');
}, 60_000);

test('a claim in little time has the statements that fit and can be measured here, and names the others', async () => {
  const out = join(mkdtempSync(join(scratch, 'short-')), 'run');
  const claim = 'bench --mode published --claim pr-4432 --budget 45s'.split(' ');
  const command = startCommand([...claim, '--out', out], nowhere);
  await command.saw('the requested time ends before it; give --budget more');
  await command.saw('postgres-driver: ready');
  command.child.kill('SIGINT');
  expect(await command.ended, command.output()).toBe(130);
  const plan = runPlanSchema.parse(JSON.parse(await readFile(join(out, 'plan.json'), 'utf8')));
  expect(plan.notes).toContainEqual(expect.stringMatching(/^To fit --budget: .*\b[1-9] of \d+ statements/));
  expect(plan.targets.map(({ system }) => system)).not.toContain('spacetimedb');
}, 60_000);
