import { expect, test } from 'vitest';
import type { Measured } from '../crosscheck/peer.ts';
import { type Compared, findingOf, rowOf, verdictOf } from '../crosscheck/verdict.ts';

const named = { ours: 'native', peer: 'pgbench', processors: 2 };
const measured: Measured = {
  applied: 10_000,
  declined: 0,
  faults: 0,
  windowMs: 1000,
  clientCpuUs: 300_000,
  busy: 0.95,
};

function compared(target: string, ours: Partial<Measured>, peer: Partial<Measured> = {}): Compared {
  // The machine is twice as fast in one round and half as fast in another: ratios do not see it.
  const rounds = [0.5, 1, 2].map((luck) => {
    const atSpeed = (one: Partial<Measured>): Measured => ({
      ...measured,
      ...one,
      windowMs: measured.windowMs / luck,
    });
    return { ours: atSpeed(ours), peer: atSpeed(peer) };
  });
  return { target, sessions: 10, rounds };
}

test('ratios are those within a round, and the verdict names what misses the goal', () => {
  const good = compared('prepared', { applied: 10_900, clientCpuUs: 196_200 });
  expect(rowOf(good, named)).toBe(
    '| prepared | 10 | 10900 | 10000 | 1.09 | 18.0 | 30.0 | 0.60 | 0 and 0 | they agree within 10 % |',
  );
  expect(verdictOf([good], named)).toMatch(/^The native load client reaches the goal in all 1 loads/);
  const slow = compared('simple', { applied: 9000, clientCpuUs: 324_000 });
  expect(verdictOf([good, slow], named)).toMatch(
    /in: simple at 10: 0\.90 × the throughput; simple at 10: 1\.20 × the CPU time of an operation\.$/,
  );
});

test('a slower client that takes more CPU of a full machine saturates it', () => {
  const costly = { applied: 6000, clientCpuUs: 1_200_000 };
  expect(findingOf(compared('a', {}, costly), named)).toBe(
    'pgbench saturates: it takes 1.20 of 2 processors, and none is left',
  );
  expect(findingOf(compared('a', costly), named)).toMatch(/^native saturates/);
});

test('a slower client that leaves processors idle does not saturate, nor does one that is cheaper', () => {
  const idle = { applied: 6000, clientCpuUs: 1_200_000, busy: 0.5 };
  expect(findingOf(compared('a', {}, idle), named)).toContain("not pgbench's CPU");
  const cheap = { applied: 6000, clientCpuUs: 60_000 };
  expect(findingOf(compared('a', {}, cheap), named)).toContain("not pgbench's CPU");
});
