import { existsSync } from 'node:fs';
import { chosen } from '@fair-bench/contract/test-support';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArtifacts } from '@fair-bench/results';
import { afterAll, expect, test } from 'vitest';
import { readSummary, startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-application-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

const config = ['--config', fileURLToPath(new URL('fixtures/bank/targets.ts', import.meta.url))];
const small =
  '--measure-again 2 --duration 500ms --warmup 100ms --deployments 1 --sessions 4 --depth 1 --param accounts=1000 --param alpha=0';
const options = [...config, ...small.split(' ')];

test('an application is measured through its own API, and every row behind it is audited', async () => {
  const { out, code, output } = await measured(scratch, (to) =>
    startCommand(['fair-bench', '--systems', 'bank', '--trials', '1', ...options, '--out', to]),
  );
  expect(code, output).toBe(0);
  const [cell] = (await readSummary(out)).cells;
  expect(cell?.status === 'ok' && cell.counts).toMatchObject({ faults: 0 });
  expect(cell?.status === 'ok' && cell.counts.applied).toBeGreaterThan(0);
  const { trials, plan } = await readArtifacts(out);
  expect(trials.map(({ audit }) => audit?.status)).toEqual(['passed']);
  expect(plan.targets[0]?.application?.operations['transfer']?.request).toBe('POST /transfers');
}, 240_000);

const others: readonly [string, string, RegExp][] = [
  [
    'that loses money is stopped by the rehearsal, which names it and its mapping',
    'bank-that-loses',
    /bank-that-loses.*account\.balance[^]*the application of bank-that-loses, its mapping in app\.operations/,
  ],
  [
    'that acknowledges before the disk has it voids its trial',
    'bank-that-forgets',
    /bank-that-forgets.*void: durable commits were claimed, but/,
  ],
  [
    'that ends at once is unavailable, with its exit code',
    'bank-that-ends',
    /bank-that-ends: unavailable: .*exit code 3/,
  ],
];
// A false durability has its liars on other targets.
test.each(chosen(others, ([what]) => !what.includes('before the disk')))(
  'an application %s',
  async (_, target, says) => {
    const out = join(scratch, target);
    const run = startCommand(['fair-bench', '--systems', target, '--trials', '1', ...options, '--out', out]);
    expect(await run.ended).toBeGreaterThan(0);
    expect(run.output()).toMatch(says);
    const cells = existsSync(join(out, 'summary.json')) ? (await readSummary(out)).cells : [];
    expect(cells.filter(({ status }) => status === 'ok')).toEqual([]);
  },
  120_000,
);

test('a connector of applications needs one, and no other has one', async () => {
  const run = startCommand(['fair-bench', '--systems', 'postgres-app', ...options]);
  expect(await run.ended).toBe(2);
  expect(run.output()).toContain('--systems: got "postgres-app"');
});
