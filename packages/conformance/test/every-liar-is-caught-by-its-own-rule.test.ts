import { readdir, readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { TrialRecord } from '@fair-bench/results';
import { lies } from './liars/lying-load-client.ts';
import { againMax } from '../src/short-trial.ts';
import { caughtOtherwise, measuredUndisturbed, ownRules } from '../src/test-support/own-rules.ts';

const liarsFolder = join(import.meta.dirname, 'liars');
const checksFolder = join(import.meta.dirname, '../../analysis/src/audit/checks');
const testFolders = [import.meta.dirname, join(import.meta.dirname, '../../load-agent/test')];

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
    const texts = await Promise.all(
      testFolders.map(async (folder) => {
        const files = (await readdir(folder)).filter((file) => file.endsWith('.test.ts'));
        return await Promise.all(files.map(async (file) => await readFile(join(folder, file), 'utf8')));
      }),
    );
    const all = texts.flat().join('\n');
    expect(Object.keys(ownRules).filter((name) => !all.includes(`'${name}'`))).toEqual([]);
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
});

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
