import { describe, expect, test } from 'vitest';
import { parseRunOptions, runDefaults } from '../src/options/run-options.ts';
import { pointsOf } from '../src/plan/parameters.ts';
import { workload } from './support/this-workspace.ts';

function options(texts: Readonly<Record<string, string>>) {
  return parseRunOptions({ ...runDefaults, strict: false, url: [], set: [], ...texts });
}

/** The skews of the cells that `--alpha TEXT` gives. */
function alphas(text: string): readonly unknown[] {
  const points = pointsOf(workload, { seed: '42', param: [{ key: 'alpha', values: text }] });
  return points.map(({ parameters }) => parameters['alpha']);
}

describe('a range', () => {
  test('adds its step, without the error of binary fractions, and has its end', () => {
    expect(alphas('0:2:0.25')).toEqual([0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]);
    expect(alphas('0:0.3:0.1')).toEqual([0, 0.1, 0.2, 0.3]);
  });

  test('multiplies by its factor', () => {
    expect(options({ sessions: '1:256:x2' }).sessions).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
    expect(options({ rate: '1000:8000:x2' }).rate).toEqual([1000, 2000, 4000, 8000]);
    expect(options({ depth: '1:100:x10' }).depth).toEqual([1, 10, 100]);
  });

  test('ends below an end that it does not reach', () => {
    expect(options({ depth: '1:60:x2' }).depth).toEqual([1, 2, 4, 8, 16, 32]);
    expect(alphas('0.5:1:0.3')).toEqual([0.5, 0.8]);
  });

  test('stands among other values', () => {
    expect(options({ sessions: '1,10:30:10,64' }).sessions).toEqual([1, 10, 20, 30, 64]);
  });
});

test('lists stay what they were', () => {
  expect(options({ depth: '8,1' })).toMatchObject({ depth: [8, 1] });
  expect(alphas('0.5,1.5')).toEqual([0.5, 1.5]);
});

test.each([
  ['alpha', '0:2'],
  ['alpha', '2:0:0.5'],
  ['alpha', '0:2:0'],
  ['alpha', '0:2:-1'],
  ['alpha', '0:8:x2'],
  ['alpha', '0:2:0.25,1'],
  ['alpha', '0:1:0.000001'],
  ['sessions', '1:256:x1'],
  ['sessions', '1:9:x1.5'],
  ['sessions', '0:8:2'],
  ['depth', '1:64:y2'],
  ['rate', '0:10:5'],
])('--%s %s is refused with the form that is accepted', (name, text) => {
  const parse = () => (name === 'alpha' ? alphas(text) : options({ [name]: text }));
  expect(parse).toThrow(new RegExp(`^--${name}: got "${text}"; accepts .*0:2:0\\.25`));
});
