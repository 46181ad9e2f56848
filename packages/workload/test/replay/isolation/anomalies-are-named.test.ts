import { describe, expect, test } from 'vitest';
import { observe } from '../../../src/replay/isolation/observe.ts';
import { historyOf, type Made } from './histories.ts';

const nobody = null;

/** What is not 0. */
function namesIn(operations: readonly Made[], end?: Parameters<typeof historyOf>[1]) {
  const { anomalies, mismatches } = observe(historyOf(operations, end));
  return Object.fromEntries(
    [...Object.entries(anomalies), ...mismatches.map(({ what, count }) => [what, count] as const)].filter(
      ([, count]) => count !== 0,
    ),
  );
}

describe('nothing is named', () => {
  test.each<[string, Made[]]>([
    [
      'of operations one after another',
      [
        { found: { x: nobody, y: nobody }, wrote: ['x'] },
        { found: { x: 0, y: nobody }, wrote: ['x', 'y'] },
        { found: { x: 1, y: 1 } },
      ],
    ],
    [
      'of a reader that comes before the writer which it overlaps',
      [{ found: { x: nobody, y: nobody }, wrote: ['x', 'y'] }, { found: { x: nobody, y: nobody } }],
    ],
    [
      'of a version written twice by its operation',
      [{ found: { x: nobody }, wrote: ['x', 'x'] }, { found: { x: 0 } }],
    ],
    [
      'of an operation in doubt that was seen',
      [{ wrote: ['x'], state: 'in doubt' }, { found: { x: [1, 0] } }],
    ],
    ['of an operation that changed nothing', [{ wrote: ['x'], state: 'refused' }, { found: { x: nobody } }]],
  ])('%s', (_, operations) => {
    expect(namesIn(operations)).toEqual({});
  });
});

describe('each anomaly is named, and nothing beside it', () => {
  test.each<[string, Record<string, number>, Made[]]>([
    [
      'writes that replace each other’s',
      { G0: 1 },
      [
        { found: { x: 1, y: nobody }, wrote: ['x', 'y'] },
        { found: { x: nobody, y: 0 }, wrote: ['x', 'y'] },
      ],
    ],
    [
      'a version of an operation that was rolled back',
      { G1a: 1 },
      [{ wrote: ['x'], state: 'refused' }, { found: { x: [1, 0] } }],
    ],
    [
      'a version that was not its writer’s last one',
      { G1b: 1 },
      [{ found: { x: nobody }, wrote: ['x', 'x'] }, { found: { x: [1, 0] } }],
    ],
    [
      'two that found what the other wrote',
      { G1c: 1 },
      [
        { found: { x: nobody, y: 1 }, wrote: ['x'] },
        { found: { x: 0, y: nobody }, wrote: ['y'] },
      ],
    ],
    [
      'two that replace the same version',
      { 'lost-update': 1 },
      [
        { found: { x: nobody }, wrote: ['x'] },
        { found: { x: nobody }, wrote: ['x'] },
      ],
    ],
    [
      'one that adds to a version which it did not find',
      { 'lost-update': 1 },
      [
        { found: { x: nobody }, wrote: ['x'] },
        { found: { x: nobody }, wrote: ['x'] },
        { found: { x: [2, 1] } },
      ],
    ],
    [
      'a reader between two writes of one operation',
      { 'G-single': 1 },
      [{ found: { x: nobody, y: nobody }, wrote: ['x', 'y'] }, { found: { x: nobody, y: 0 } }],
    ],
    [
      'a write skew',
      { 'G2-item': 2 },
      [
        { found: { x: nobody, y: nobody }, wrote: ['x'] },
        { found: { x: nobody, y: nobody }, wrote: ['y'] },
      ],
    ],
    [
      'two readers that see two writes in different orders',
      { 'G2-item': 2 },
      [
        { found: { x: nobody }, wrote: ['x'] },
        { found: { y: nobody }, wrote: ['y'] },
        { found: { x: 0, y: nobody } },
        { found: { x: nobody, y: 1 } },
      ],
    ],
    [
      'a version that had been replaced before the reader was sent',
      { 'stale-read': 1, 'real-time': 1 },
      [
        { found: { x: nobody }, wrote: ['x'], times: [0, 1] },
        { found: { x: nobody }, times: [2, 3] },
      ],
    ],
    [
      'an order that only real time forbids',
      { 'real-time': 2 },
      [
        { found: { x: nobody, y: nobody }, wrote: ['y'], times: [0, 100] },
        { found: { x: nobody }, wrote: ['x'], times: [1, 2] },
        { found: { y: nobody }, times: [3, 4] },
      ],
    ],
    [
      'a number that no write can have made',
      { 'versions that nobody wrote': 1 },
      [{ found: { x: nobody }, wrote: ['x'] }, { found: { x: [0, 0] } }],
    ],
    [
      'a writer that did not write it',
      { 'versions that nobody wrote': 1 },
      [{ found: { x: nobody, y: nobody }, wrote: ['y'] }, { found: { x: [1, 0] } }],
    ],
    [
      'an operation’s own write',
      { 'versions that nobody wrote': 1 },
      [{ found: { x: [1, 0] }, wrote: ['x'] }],
    ],
  ])('%s', (_, named, operations) => {
    expect(namesIn(operations)).toEqual(named);
  });

  test('an applied write that is not there in the end', () => {
    const operations: Made[] = [
      { found: { x: nobody }, wrote: ['x'] },
      { found: { x: 0 }, wrote: ['x'] },
    ];
    expect(namesIn(operations, { x: [2, 1] })).toEqual({});
    expect(namesIn(operations, { x: [1, 0] })).toEqual({
      'applied writes of a version that are not there': 1,
    });
    expect(namesIn(operations, { x: [0, null] })).toEqual({
      'applied writes of a version that are not there': 1,
    });
  });
});

test('an example shows the cycle', () => {
  const { examples } = observe(
    historyOf([{ found: { x: nobody, y: nobody }, wrote: ['x', 'y'] }, { found: { x: nobody, y: 0 } }]),
  );
  expect(examples).toEqual(['G-single: T1 rw → T0 wr → T1']);
});

test('a hundred thousand operations that are all on one cycle are judged in seconds', () => {
  const count = 100_000;
  // Each finds what the one before wrote of one object, and not yet what it wrote of the other.
  const operations = Array.from({ length: count }, (_, place): Made => {
    const [own, other] = place % 2 === 0 ? ['x', 'y'] : ['y', 'x'];
    const ownBefore = place < 2 ? nobody : place - 2;
    const otherBefore = place < 3 ? nobody : place - 3;
    return {
      found: {
        [own]: [Math.floor(place / 2), ownBefore],
        [other]: [place < 3 ? 0 : Math.floor((place - 3) / 2) + 1, otherBefore],
      },
      wrote: [own],
      times: [10 * place, 10 * place + 45],
    };
  });
  const history = historyOf(operations);
  const startMs = performance.now();
  const { anomalies, mismatches } = observe(history);
  expect(mismatches.map(({ count: wrong }) => wrong)).toEqual([0, 0]);
  expect(anomalies['G2-item'] + anomalies['G-single']).toBeGreaterThan(count / 2);
  expect(performance.now() - startMs).toBeLessThan(20_000);
});
