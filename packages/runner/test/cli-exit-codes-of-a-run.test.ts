import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { exitCodeOfRun } from '../src/commands/exit-codes.ts';

const ok = { status: 'ok', target: 'a-driver' } as const;
const isVoid = { status: 'void', target: 'a-driver' } as const;
const unavailable = { status: 'unavailable', target: 'b-driver' } as const;

interface Case {
  readonly fair?: boolean;
  readonly interrupted?: boolean;
  readonly strict?: boolean;
  readonly required?: readonly (readonly string[])[];
  readonly failOnRegression?: boolean;
  readonly comparisons?: Parameters<typeof exitCodeOfRun>[0]['comparisons'];
}

function codeOf(
  cells: readonly { status: 'ok' | 'void' | 'unavailable' | 'interrupted'; target: string }[],
  { fair = true, interrupted = false, strict = false, required = [], ...regression }: Case = {},
): number {
  return exitCodeOfRun(
    { run: { interrupted }, verdict: { fair }, cells, comparisons: regression.comparisons ?? [] },
    { strict, required, failOnRegression: regression.failOnRegression ?? false },
  );
}

describe('the exit code of a run', () => {
  test('is 0 when everything was measured', () => expect(codeOf([ok, ok])).toBe(0));
  test('is 1 when something was void', () => expect(codeOf([ok, isVoid])).toBe(1));
  test('is 1 when nothing was measured', () => expect(codeOf([unavailable])).toBe(1));
  test('is 0 when a target that nobody named is unavailable', () =>
    expect(codeOf([ok, unavailable])).toBe(0));
  test('is 1 when a target that was named is unavailable', () =>
    expect(codeOf([ok, unavailable], { required: [['b-driver']] })).toBe(1));
  test('is 0 when a system that was named has another target that is available, and 1 when it has none', () => {
    expect(codeOf([ok, unavailable], { required: [['a-driver', 'b-driver']] })).toBe(0);
    expect(codeOf([ok, unavailable], { required: [['a-driver'], ['b-driver']] })).toBe(1);
  });
  test('is 3 when it is not fair, only under --strict', () => {
    expect(codeOf([ok], { fair: false })).toBe(0);
    expect(codeOf([ok, isVoid], { fair: false, strict: true })).toBe(3);
  });
  test('is 4 when the second of two targets is significantly slower, only under --fail-on regression', () => {
    const slower = { ratio: 0.5, significant: true };
    expect(codeOf([ok, ok], { comparisons: [slower] })).toBe(0);
    expect(codeOf([ok, ok], { comparisons: [slower], failOnRegression: true })).toBe(4);
    for (const harmless of [
      { ratio: 2, significant: true },
      { ratio: 0.5, significant: false },
      { ...slower, belowNoiseFloor: true },
    ]) {
      expect(codeOf([ok, ok], { comparisons: [harmless], failOnRegression: true })).toBe(0);
    }
  });
  test('is 130 when it was interrupted, whatever else happened', () =>
    expect(codeOf([isVoid], { interrupted: true, fair: false, strict: true })).toBe(130));
});

test('who reads the output may stop before its end', async () => {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'bench', '--help']);
  child.stdout.destroy();
  const faults = child.stderr.setEncoding('utf8').toArray();
  const [code] = await once(child, 'close');
  expect([code, (await faults).join('')]).toEqual([0, '']);
});
