import { type Claim, claimSchema } from '@fair-bench/results';

/** A claim that one target is about so many times as fast as another; a third figure has no target. */
export function claimOf(claimedRatio: number, changes: Partial<Claim> = {}): Claim {
  return claimSchema.parse({
    name: 'a-claim',
    date: '2026-02',
    source: 'somewhere',
    host: 'one desktop',
    workload: 'transfer',
    parameters: { accounts: 1000 },
    windowSeconds: 10,
    statements: [
      {
        statement: 'fast is faster',
        kind: 'about',
        wording: '“about”',
        claimedRatio,
        from: 'slow',
        to: 'fast',
      },
    ],
    figures: [
      { id: 'slow', label: 'Slow', tps: 1000, where: 'table 1, row slow', target: 'slow-http[depth=1]' },
      {
        id: 'fast',
        label: 'Fast',
        tps: 1000 * claimedRatio,
        where: 'table 1, row fast',
        target: 'fast-http[depth=1]',
      },
      { id: 'absent', label: 'Absent', tps: 1, where: 'table 2', target: 'absent-http[depth=1]' },
    ],
    breaks: [],
    ...changes,
  });
}
