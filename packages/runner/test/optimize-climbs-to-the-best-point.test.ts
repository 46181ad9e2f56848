import { expect, test } from 'vitest';
import { climb, type Point } from '../src/search/climb.ts';

const bounds = { sessions: [4, 16, 50, 200], depths: [1, 8, 40], pointsMax: 10 };

/** Runs a climb on a landscape; null is a trial without a number. */
function climbOn(
  landscape: (point: Point) => number | null,
  start: Point = { sessions: 50, depth: 8 },
  limits: typeof bounds = bounds,
): { best: Point | null; tried: Point[] } {
  const path = climb(limits, start);
  const tried: Point[] = [];
  let step = path.next();
  while (step.done !== true) {
    tried.push(step.value);
    step = path.next(landscape(step.value));
  }
  return { best: step.value, tried };
}

test.each([
  ['more of both is better', ({ sessions, depth }: Point) => sessions * depth, { sessions: 200, depth: 40 }],
  [
    'less of both is better',
    ({ sessions, depth }: Point) => 1 / (sessions * depth),
    { sessions: 4, depth: 1 },
  ],
  [
    'the best is in the middle',
    ({ sessions, depth }: Point) => -Math.abs(sessions - 16) - Math.abs(depth - 8),
    { sessions: 16, depth: 8 },
  ],
  [
    'fewer sessions want more depth',
    ({ sessions, depth }: Point) => -Math.abs(Math.log((sessions * depth) / 160)) - sessions / 1000,
    { sessions: 4, depth: 40 },
  ],
])('%s', (_, landscape, best) => {
  expect(climbOn(landscape).best).toEqual(best);
});

test('no point is tried twice, and never more than the plan allows', () => {
  for (const pointsMax of [1, 2, 5, 10]) {
    const { tried } = climbOn(({ sessions, depth }) => sessions * depth, undefined, { ...bounds, pointsMax });
    expect(tried.length).toBeLessThanOrEqual(pointsMax);
    expect(new Set(tried.map((point) => JSON.stringify(point))).size).toBe(tried.length);
  }
});

test('a void is below every number, and only voids give no best point', () => {
  expect(climbOn(({ depth }) => (depth === 40 ? null : depth)).best).toMatchObject({ depth: 8 });
  expect(climbOn(() => null).best).toBeNull();
});

test('a grid of one point is that point', () => {
  const one = { sessions: [50], depths: [8], pointsMax: 10 };
  expect(climbOn(() => 1, { sessions: 50, depth: 8 }, one)).toEqual({
    best: { sessions: 50, depth: 8 },
    tried: [{ sessions: 50, depth: 8 }],
  });
});
