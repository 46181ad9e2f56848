import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';

const parent = await mkdtemp(join(tmpdir(), 'fair-bench-one-row-'));
afterAll(() => rm(parent, { recursive: true }));

/** A house whose table has one row more. */
const nicenessFile = join(parent, 'niceness');
const environment = {
  ...process.env,
  NICENESS_FILE: nicenessFile,
  NODE_OPTIONS: `--import=${new URL('fixtures/one-more-setting.ts', import.meta.url).href}`,
};

const small =
  '--accounts 1000 --alpha 0.5 --sessions 4 --duration 500ms --warmup 100ms --deployments 1 --trials 2'.split(
    ' ',
  );

async function run(...words: readonly string[]) {
  const { out, output } = await measured(parent, (folder) =>
    startCommand([...words, ...small, '--out', folder], environment),
  );
  const summary: unknown = JSON.parse(await readFile(join(out, 'summary.json'), 'utf8'));
  return { output, summary: summarySchema.parse(summary) };
}

/** With what the row alone knows. */
const summarySchema = z.looseObject({
  cells: z.array(z.looseObject({ id: z.string(), niceness: z.number().optional() })),
  sweeps: z.array(z.looseObject({ parameter: z.string() })).optional(),
  parity: z.array(z.looseObject({ rule: z.string() })),
  explanation: z.looseObject({ path: z.array(z.looseObject({ name: z.string() })) }).optional(),
});

test('one row is an option, in ids, cells and columns, a sweep, a parity line, and what each process runs with', async () => {
  const help = startCommand(['fair-bench', '--help'], environment);
  expect(await help.ended).toBe(0);
  expect(help.output()).toContain('--nice <numbers>');
  const { summary, output } = await run(
    'fair-bench',
    '--systems',
    'null-http',
    '--nice',
    '1,5,9',
    '--verbose',
  );
  const cells = summary.cells.map(({ id, niceness }) => [id, niceness]);
  expect(cells).toContainEqual(['null-http-a0.5-d1-s4-n5', 5]);
  expect(summary.sweeps?.map(({ parameter }) => parameter)).toContain('nice');
  expect(summary.parity.find(({ rule }) => rule === 'F999')).toMatchObject({
    subject: 'niceness',
    holds: true,
    values: { 'null-http': '1, 5, 9' },
  });
  const processes = await readFile(nicenessFile, 'utf8');
  expect([...new Set(processes.trim().split('\n'))].toSorted()).toEqual(['1', '5', '9']);
  expect(output).toMatch(/^.*\bnice\b/m);
}, 90_000);

test('and a factor of an explanation', async () => {
  const { summary } = await run('explain', '--from', 'null-http[nice=0]', '--to', 'null-http[nice=9]');
  expect(summary.explanation?.path.map(({ name }) => name)).toEqual(['niceness of the load client']);
}, 90_000);
