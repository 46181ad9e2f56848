import { readdir, readFile } from 'node:fs/promises';
import { join, parse, relative } from 'node:path';
import { format } from 'prettier';
import { describe, expect, test, vi } from 'vitest';
import type { TrialRecord } from '@fair-bench/results';
import { lies } from './liars/lying-load-client.ts';
import { againMax } from '../src/short-trial.ts';
import { caughtOtherwise, measuredUndisturbed, ownRules } from '../src/test-support/own-rules.ts';

const liarsFolder = join(import.meta.dirname, 'liars');
const checksFolder = join(import.meta.dirname, '../../analysis/src/audit/checks');
const testFolders = [import.meta.dirname, join(import.meta.dirname, '../../load-agent/test')];
/** Tests here give rules evidence and logs that break them. */
const syntheticFolders = ['analysis', 'workload'].map((name) =>
  join(import.meta.dirname, '../..', name, 'test'),
);
const root = join(import.meta.dirname, '../../..');
const remedy =
  'docs/broken-rules.md is not what the liars say: npm run test:only -- packages/conformance/test/every-liar-is-caught -u';

type VoidTrial = Extract<TrialRecord, { status: 'void' }>;

/** What liars are made of. */
const parts = [
  // Two liars, each by its own name.
  'checks-too-little',
  'falsified-histogram',
  'flushes-the-disk',
  'lying-client',
  'lying-deployments',
  'lying-engine',
  'lying-load-client',
  'lying-replies',
];

/** Rules that no liar here breaks alone; tests of `analysis` give them evidence that does. */
const withoutLiar = [
  // The liars of audit-voids-what-the-isolation-level-forbids.test.ts are not of this folder: each breaks this rule alone.
  'isolation',
  // Rows that break a condition are other rows than the operations leave; each of TPC-C's is seen to fail in replay-carries-operations-out-again.test.ts.
  'conditions',
  // A target that changes its own facts, or counts less than it acknowledged, by its own count.
  'facts-changed',
  'commit-counter',
  'server-counter',
  // Where neither the disk nor the database counts flushes.
  'implausible-durability',
  // Whoever flushes too little is seen by the disk's counter and by the database's.
  'device-flushes',
  'database-flushes',
  // In a plan that permits no longer window, and a target that does nothing, which is missing elsewhere too.
  'window-too-short',
  'only-refused-work',
  'no-applied-work',
  // Whoever is ahead of the counts has not done what another connection looks for.
  'acknowledged-ahead',
  // More in flight than stated is seen by latencies, and by the drain.
  'in-flight',
  'littles-law-above',
];

describe('the table of liars and their rules', () => {
  test('has every liar, and none that is not there', async () => {
    const files = (await readdir(liarsFolder)).map((file) => parse(file).name);
    const liars = [...files, ...Object.keys(lies)].filter((name) => !parts.includes(name) && name !== 'none');
    const known = Object.keys(ownRules);
    expect([...new Set(liars)].filter((name) => !known.includes(name))).toEqual([]);
  });

  test('has a test for each of them', async () => {
    const all = await testsIn(testFolders);
    const lacking = Object.keys(ownRules).filter((name) => filesWith(all, `'${name}'`).length === 0);
    expect(lacking).toEqual([]);
  });

  test('has a liar for each rule that voids, caught by that rule alone', async () => {
    const alone = Object.values(ownRules).flatMap((own) => ('also' in own ? [] : [own.rule]));
    const codes = await codesThatVoid();
    expect(codes.length).toBeGreaterThan(20);
    expect(
      codes.filter((code) => !alone.some((rule) => rule === code) && !withoutLiar.includes(code)),
    ).toEqual([]);
    expect(withoutLiar.filter((code) => !codes.includes(code))).toEqual([]);
  });

  test('is docs/broken-rules.md, where each rule is broken somewhere', async () => {
    const [real, synthetic] = await Promise.all([testsIn(testFolders), testsIn(syntheticFolders)]);
    const codes = (await codesThatVoid()).toSorted();
    const rows = codes.map((code) => {
      const liars = Object.entries(ownRules).filter(([, own]) => own.rule === code);
      const files = liars.map(([name]) => `\`${name}\` (${linksTo(filesWith(real, `'${name}'`))})`);
      return {
        code,
        liars: files,
        evidence: filesWith(synthetic, `(?:void: ${code}|code: '${code}|\\['${code}'\\]|\\('${code}'\\))`),
      };
    });
    expect(rows.filter(({ liars, evidence }) => liars.length + evidence.length === 0)).toEqual([]);
    const page = [
      '# Where each rule is broken',
      '',
      'Each rule that voids a trial, by its code: the liars that it must catch on real systems, and the tests that give it such evidence. A rule without a liar says why in',
      '[every-liar-is-caught-by-its-own-rule.test.ts](../packages/conformance/test/every-liar-is-caught-by-its-own-rule.test.ts), which makes this page.',
      '`npm test` runs a liar for each source of evidence, `npm run test:all` all of them.',
      '',
      ...rows.map(({ code, liars, evidence }) => {
        const places = [
          ...liars,
          ...(evidence.length === 0 ? [] : [`as evidence or as a log: ${linksTo(evidence)}`]),
        ];
        return `- \`${code}\`\n${places.map((place) => `  - ${place}\n`).join('')}`;
      }),
    ].join('\n');
    const text = await format(page, { parser: 'markdown' });
    await expect(text, remedy).toMatchFileSnapshot(join(root, 'docs/broken-rules.md'));
  });
});

type Tests = ReadonlyMap<string, string>;

/** Path → text of every test below the folders but this one. */
async function testsIn(folders: readonly string[]): Promise<Tests> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder, { recursive: true });
      return names
        .filter((name) => name.endsWith('.test.ts') && !import.meta.filename.endsWith(name))
        .map((name) => join(folder, name));
    }),
  );
  const paths = found.flat().toSorted();
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')] as const)));
}

/** The paths of the tests in which a pattern matches whole words. */
function filesWith(tests: Tests, pattern: string): readonly string[] {
  const whole = new RegExp(`(?<![a-z-])${pattern}(?![a-z-])`);
  return [...tests].filter(([, text]) => whole.test(text)).map(([path]) => path);
}

function linksTo(paths: readonly string[]): string {
  return paths
    .map((path) => `[${parse(path).name.replace('.test', '')}](../${relative(root, path)})`)
    .join(', ');
}

const voided: VoidTrial = {
  status: 'void',
  cellId: 'cell',
  round: 0,
  reason: 'why',
  audit: null,
  facts: null,
  warnings: [],
};

test('a liar that passes, or that another rule catches too, is not caught by its own rule alone', () => {
  expect(caughtOtherwise('holds-replies', { ...voided, voidBy: ['reply-bursts'] })).toEqual([]);
  expect(
    caughtOtherwise('holds-replies', { ...voided, voidBy: ['reply-bursts', 'state', 'littles-law'] }),
  ).toEqual(['state']);
  expect(caughtOtherwise('holds-replies', { ...voided, voidBy: ['state'] })).toEqual([
    'not by reply-bursts',
    'state',
  ]);
  expect(caughtOtherwise('holds-replies', voided)).toEqual(['not by reply-bursts', 'why']);
});

test.each([
  [null, ['littles-law'], true],
  [null, ['state', 'littles-law'], false],
  ['holds-replies', ['reply-bursts'], false],
  ['holds-replies', ['reply-bursts', 'littles-law'], true],
  ['writes-twice', ['state'], false],
  ['writes-twice', ['state', 'window-clock'], true],
  // Its load client was killed, or a wait was too long.
  ['writes-twice', undefined, true],
] as const)(
  'a trial of %s that is void by %s was voided by the machine: %s',
  async (liar, codes, isAgain) => {
    const record = codes === undefined ? voided : { ...voided, voidBy: [...codes] };
    const measure = vi.fn<() => Promise<TrialRecord>>(async () => await Promise.resolve(record));
    expect(await measuredUndisturbed(liar, measure)).toBe(record);
    expect(measure).toHaveBeenCalledTimes(isAgain ? 1 + againMax : 1);
  },
);

/** The codes of every rule's voids, from the text of the rules: up to the message, which is a template. */
async function codesThatVoid(): Promise<readonly string[]> {
  const files = await readdir(checksFolder);
  const texts = await Promise.all(
    files.map(async (file) => await readFile(join(checksFolder, file), 'utf8')),
  );
  const calls = texts.flatMap((text) => text.match(/\bfail( : warn\))?\([^`]{0,200}/g) ?? []);
  return [...new Set(calls.flatMap((call) => call.match(/(?<=')[a-z]+(-[a-z]+)*(?=')/g) ?? []))];
}
