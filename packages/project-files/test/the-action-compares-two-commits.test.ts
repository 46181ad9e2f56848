import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { complaintOf, pathOf, textOf, yamlOf } from './support/project-file.ts';

const actionSchema = z.looseObject({
  inputs: z.record(z.string(), z.looseObject({ default: z.string() })),
  runs: z.looseObject({
    steps: z.array(
      z.looseObject({
        name: z.string(),
        id: z.string().optional(),
        if: z.string().optional(),
        uses: z.string().optional(),
        run: z.string().optional(),
        env: z.record(z.string(), z.string()).default({}),
      }),
    ),
  }),
});

let folder = '';
let base = '';

/** A repository of a user: its server answers after so many milliseconds. */
async function writeServer(delayMs: number): Promise<void> {
  await writeFile(join(folder, 'delay.txt'), String(delayMs));
}

const git = (...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...words], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

/** A double of Fair Bench: it compares the delays of both checkouts, and writes what a run writes. */
const double = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const words = process.argv.slice(2);
const out = words[words.indexOf('--out') + 1];
const [was, is] = words.slice(words.indexOf('--interleave') + 1);
const ratio = Number(readFileSync('.fair-bench-base/delay.txt')) / Number(readFileSync('delay.txt'));
const comparison = { baseline: was, contender: is, ratio, ci95: [ratio * 0.95, ratio * 1.05], significant: ratio !== 1 };
mkdirSync(out, { recursive: true });
writeFileSync(out + '/summary.json', JSON.stringify({ comparisons: [comparison], cells: [{ status: 'ok' }] }));
writeFileSync(out + '/report.md', words.join(' '));
process.exit(words.includes('--void') ? 1 : ratio < 1 ? 4 : 0);
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fair-bench-action-'));
  git('init', '--quiet');
  await mkdir(join(folder, 'tools'));
  await writeFile(join(folder, 'tools', 'double.mjs'), double);
  await writeServer(10);
  git('add', '.');
  git('commit', '--quiet', '-m', 'what was');
  base = git('rev-parse', 'HEAD');
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Carries out the steps of action.yml as GitHub does, as far as they are commands; resolves with how it ended. */
async function act(given: Readonly<Record<string, string>>) {
  const { inputs, runs } = actionSchema.parse(yamlOf('action.yml'));
  const outputs: Record<string, string> = {};
  const values: Record<string, string> = {
    ...Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default])),
    base,
    setup: 'touch ready',
    command: `${process.execPath} tools/double.mjs`,
    ...given,
  };
  const filled = (text: string): string =>
    text.replaceAll(
      /\$\{\{ (?:inputs\.([\w-]+)|steps\.measure\.outputs\.(\w+)) \}\}/g,
      (_, input: string, output: string) =>
        input === undefined ? (outputs[output] ?? '') : (values[input] ?? ''),
    );
  const [outputFile, summaryFile] = [join(folder, '.output'), join(folder, '.summary')];
  await writeFile(outputFile, '');
  await writeFile(summaryFile, '');
  let [code, said] = [0, ''];
  for (const step of runs.steps) {
    if (step.run === undefined || (code !== 0 && step.if !== 'always()')) continue;
    const env = Object.fromEntries(Object.entries(step.env).map(([name, text]) => [name, filled(text)]));
    const ended = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        ...env,
        GITHUB_ACTION_PATH: pathOf('.'),
        GITHUB_OUTPUT: outputFile,
        GITHUB_STEP_SUMMARY: summaryFile,
      },
    });
    said += ended.stdout + ended.stderr;
    if (ended.status !== 0) code = ended.status ?? 1;
    for (const line of (await readFile(outputFile, 'utf8')).split('\n')) {
      const [name = '', value = ''] = line.split('=');
      outputs[name] = value;
    }
  }
  git('worktree', 'remove', '--force', '.fair-bench-base');
  return { code, said, summary: await readFile(summaryFile, 'utf8') };
}

test('action.yml fits its schema, and pins what it uses', () => {
  expect(complaintOf('action.yml', 'github-action')).toBe(null);
  for (const one of textOf('action.yml').match(/uses: .*/g) ?? [])
    expect(one).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('a slower commit is annotated, summed up and fails; with fail-on never it is only said', async () => {
  await writeServer(12);
  const slower = await act({ options: '--budget 1m' });
  expect(slower.code, slower.said).toBe(4);
  expect(slower.said).toContain(
    '::warning title=Slower::head does 0.833 × the operations of base (95 %25: 0.792 to 0.875)',
  );
  expect(slower.summary).toBe(
    'compare --interleave base head --fail-on regression --out fair-bench-results/action --budget 1m',
  );
  expect(existsSync(join(folder, 'ready'))).toBe(true);
  expect(await act({ 'fail-on': 'never' })).toMatchObject({ code: 0 });
});

test('an equal commit passes', async () => {
  await writeServer(10);
  const equal = await act({});
  expect(equal.code, equal.said).toBe(0);
  expect(equal.said).toContain(
    '::notice title=No difference was found::head does 1 × the operations of base',
  );
});

test('a commit whose trials are void fails too, unless nothing is to fail', async () => {
  await writeServer(10);
  expect((await act({ options: '--void' })).code).toBe(1);
  expect((await act({ options: '--void', 'fail-on': 'never' })).code).toBe(0);
});

test('a command that measures nothing fails, and the annotation says where to look', async () => {
  const refused = await act({ command: 'false', out: 'nothing' });
  expect(refused.code).toBe(1);
  expect(refused.said).toContain('::error title=Nothing was measured::');
});
