import { expect, test } from 'vitest';
import { parseRunOptions } from '../src/options/run-options.ts';
import { parseCommandLine } from '../src/options/command-line.ts';

const faultsOf = (fault: string) => parseRunOptions({ fault }).fault;

test('faults have a kind, a length and a time', () => {
  expect(faultsOf('kill')).toEqual([{ kind: 'kill', lengthMs: 0 }]);
  expect(faultsOf('kill:10s')).toEqual([{ kind: 'kill', lengthMs: 10_000 }]);
  expect(faultsOf('kill@3s, pause:2s@1500ms,disk-full')).toEqual([
    { kind: 'kill', lengthMs: 0, atMs: 3_000 },
    { kind: 'pause', lengthMs: 2_000, atMs: 1_500 },
    { kind: 'disk-full', lengthMs: 1_000 },
  ]);
});

test.each([
  '',
  'killed',
  'kill,kill',
  'conn-reset:2s',
  'pause:0s',
  'pause:2',
  'pause@',
  'pause:2s@10ms',
  'pause:61s',
])('refused, with what is accepted: "%s"', (text) => {
  expect(() => faultsOf(text)).toThrow(/--fault: got ".*"; accepts kill, pause, conn-reset/);
});

test('one round is enough for the load, unless rounds or a budget are asked for', () => {
  const trialsOf = (...words: string[]) => {
    const command = parseCommandLine(['fair-bench', ...words]);
    return command.kind === 'run' ? command.options.trials : null;
  };
  expect(trialsOf('--fault', 'kill')).toBe(1);
  expect(trialsOf('--fault', 'kill', '--trials', '4')).toBe(4);
  expect(trialsOf('--fault', 'kill', '--budget', '2m')).toBe(undefined);
  expect(trialsOf()).toBe(undefined);
});
