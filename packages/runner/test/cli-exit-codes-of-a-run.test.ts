import { describe, expect, test } from 'vitest';
import { exitCodeOfRun } from '../src/commands/exit-codes.ts';

const ok = { status: 'ok', target: 'a-driver' } as const;
const isVoid = { status: 'void', target: 'a-driver' } as const;
const unavailable = { status: 'unavailable', target: 'b-driver' } as const;

interface Case {
  readonly fair?: boolean;
  readonly interrupted?: boolean;
  readonly strict?: boolean;
  readonly required?: readonly string[];
}

function codeOf(
  cells: readonly { status: 'ok' | 'void' | 'unavailable' | 'interrupted'; target: string }[],
  { fair = true, interrupted = false, strict = false, required = [] }: Case = {},
): number {
  return exitCodeOfRun(
    { run: { interrupted }, verdict: { fair }, cells },
    { strict, required: new Set(required) },
  );
}

describe('the exit code of a run', () => {
  test('is 0 when all was measured', () => expect(codeOf([ok, ok])).toBe(0));
  test('is 1 when something was void', () => expect(codeOf([ok, isVoid])).toBe(1));
  test('is 1 when nothing was measured', () => expect(codeOf([unavailable])).toBe(1));
  test('is 0 when a target that nobody named is unavailable', () =>
    expect(codeOf([ok, unavailable])).toBe(0));
  test('is 1 when a target that was named is unavailable', () =>
    expect(codeOf([ok, unavailable], { required: ['b-driver'] })).toBe(1));
  test('is 3 when it is not fair, under --strict alone', () => {
    expect(codeOf([ok], { fair: false })).toBe(0);
    expect(codeOf([ok, isVoid], { fair: false, strict: true })).toBe(3);
  });
  test('is 130 when it was interrupted, whatever else', () =>
    expect(codeOf([isVoid], { interrupted: true, fair: false, strict: true })).toBe(130));
});
