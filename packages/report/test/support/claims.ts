import { type Claim, claimSchema } from '@fair-bench/results';

/** A claim that one target is about so many times as fast as another; a third figure has no target. */
export function claimOf(claimedRatio: number, changes: Partial<Claim> = {}): Claim {
  const given = { parameters: { accounts: 1000 }, windowSeconds: 10, figures: figuresOf(claimedRatio) };
  return claimSchema.parse({
    ...given,
    name: 'a-claim',
    date: '2026-02',
    source: 'somewhere',
    host: 'one desktop',
    workload: 'transfer',
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
    breaks: [],
    ...changes,
    settings: changes.settings ?? settingsOf({ ...given, ...changes }),
  });
}

function figuresOf(claimedRatio: number): Claim['figures'] {
  return [
    {
      id: 'slow',
      label: 'Slow',
      tps: 1000,
      where: 'table 1, row slow',
      target: 'slow-http[depth=1]',
      notes: [],
    },
    {
      id: 'fast',
      label: 'Fast',
      tps: 1000 * claimedRatio,
      where: 'table 1, row fast',
      target: 'fast-http[depth=1]',
      notes: [],
    },
    { id: 'absent', label: 'Absent', tps: 1, where: 'table 2', target: 'absent-http[depth=1]', notes: [] },
  ];
}

/** Each setting is stated. */
function settingsOf({
  figures,
  parameters,
  windowSeconds,
}: Pick<Claim, 'figures' | 'parameters' | 'windowSeconds'>): Claim['settings'] {
  const ofFigures = figures.flatMap(({ target, instead = [] }) =>
    [...(target ?? '').matchAll(/[[,]([a-zA-Z]+)=/g)].flatMap(([, key = '']) =>
      instead.some(({ setting }) => setting === key) ? [] : [key],
    ),
  );
  const all = [...ofFigures, ...Object.keys(parameters), ...(windowSeconds === null ? [] : ['window'])];
  return [...new Set(all)].map((setting) => ({ setting, is: 'stated', where: 'table 1' }));
}
