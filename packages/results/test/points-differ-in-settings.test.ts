import { expect, test } from 'vitest';
import { type Point, sameExcept, settingsOfLoad } from '@fair-bench/results';

const point: Point = {
  client: 'node',
  depth: 1,
  batch: 1,
  sessions: 50,
  parameters: { alpha: 0.5, seed: '1' },
};

/** Another value than the point's. */
const others: Readonly<Record<string, unknown>> = {
  client: 'native',
  depth: 8,
  batch: 100,
  sessions: 12,
  ratePerSecond: 500,
  cores: 1,
  memoryMb: 256,
  cold: true,
};

test.each(settingsOfLoad().map((setting) => [setting.key, setting] as const))(
  'points that differ in %s are the same but for it',
  (key, { of: { field } }) => {
    const other = { ...point, [field]: others[field] };
    expect(sameExcept(point, other)).toBe(false);
    expect(sameExcept(point, other, [key])).toBe(true);
    expect(sameExcept(point, { ...other, parameters: { alpha: 1.5, seed: '1' } }, [key])).toBe(false);
  },
);

test('what a point leaves out is the default, and parameters have no order', () => {
  const { batch: _one, ...without } = point;
  expect(sameExcept(point, { ...without, parameters: { seed: '1', alpha: 0.5 } })).toBe(true);
});
