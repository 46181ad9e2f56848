import { defaultTargetSettings } from '@fair-bench/contract';
import { describe, expect, test } from 'vitest';
import { configuredTargets } from '../src/config/configured-targets.ts';
import { completeEnds, parseEnd } from '../src/explain/endpoint.ts';
import { gapBetween } from '../src/explain/plan-cells.ts';
import { figureTarget } from '../src/claims/figure-target.ts';
import { defaultValues, settingsOf } from '@fair-bench/results';
import { chosenTargets, knownTargets } from '../src/targets/known-targets.ts';
import { catalog } from './support/this-workspace.ts';

const choice = { processes: 2, poolSize: 50, url: [], set: [] };

/** Each preset with its settings. */
const presets = [
  ['postgres-driver@tuned', 'postgres-driver[profile=tuned]', { profile: 'tuned' }],
  ['postgres-driver@async', 'postgres-driver[durability=async]', { durability: 'async' }],
  [
    'postgres-driver@tuned-async',
    'postgres-driver[durability=async,profile=tuned]',
    { durability: 'async', profile: 'tuned' },
  ],
  [
    'postgres-drizzle@serializable',
    'postgres-drizzle[isolation=serializable]',
    { isolation: 'serializable' },
  ],
  ['postgres-storedproc@bun', 'postgres-storedproc[runtime=bun]', { runtime: 'bun' }],
  ['postgres-driver@simple', 'postgres-driver[protocol=simple]', { protocol: 'simple' }],
  ['postgres-storedproc@processes-4', 'postgres-storedproc[processes=4]', { processes: '4' }],
  ['spacetimedb-sdk@compression-gzip', 'spacetimedb-sdk[compression=gzip]', { compression: 'gzip' }],
] as const;

describe.each(presets)('%s and %s are one', (preset, settings, values) => {
  const chosen = (text: string) => chosenTargets(catalog, { ...choice, systems: [text] });

  test('target of a run, under one name', () => {
    expect(chosen(settings)).toEqual(chosen(preset));
    expect(chosen(settings)[0]?.target).toBe(preset);
  });

  test('end of a gap', () => {
    const targets = knownTargets(catalog, choice, []);
    const table = settingsOf(catalog.connectors);
    expect(parseEnd('from', settings, targets, table).given).toEqual(values);
    expect(parseEnd('from', preset, targets, table).given).toEqual(values);
  });

  test('figure of a claim', () => {
    const figure = { id: 'a', label: 'a', tps: 1, where: 'table 1', notes: [] };
    for (const target of [preset, settings]) {
      const found = figureTarget({ ...figure, target }, null, 'transfer', catalog.connectors, []);
      expect(found).toMatchObject({ end: { given: values }, notes: [] });
    }
  });

  test('target of a configuration', () => {
    for (const connector of [preset, settings]) {
      const [mine] = configured({ mine: { connector } });
      expect(mine?.values).toEqual(values);
    }
  });
});

test('a setting of the load is not one of a target, and one that a target lacks is refused', () => {
  const refusal = (text: string) => () => chosenTargets(catalog, { ...choice, systems: [text] });
  expect(refusal('postgres-driver[depth=8]')).toThrow(
    '--systems: got "postgres-driver[depth=8]"; accepts settings that postgres-driver has: durability, isolation, pooler, poolerPool, poolerWorkers, profile',
  );
  expect(refusal('postgres-driver[durability=maybe]')).toThrow('durability: durable or async');
  expect(refusal('convex-http[durability=async]')).toThrow('convex-http cannot have durability async');
  expect(refusal('postgres-driver[profil=tuned]')).toThrow('did you mean "profile"');
  expect(() => configured({ mine: { connector: 'postgres-driver[pool=4]' } })).toThrow(
    'targets.mine.connector: got "postgres-driver[pool=4]"; accepts settings that postgres-driver has',
  );
});

function configured(targets: Readonly<Record<string, { connector: string; url?: string; system?: string }>>) {
  const complete = Object.entries(targets).map(([name, entry]) => [
    name,
    { ...entry, options: undefined, secrets: {} },
  ]);
  return configuredTargets(catalog, { path: 'a file', config: { targets: Object.fromEntries(complete) } });
}

describe('a target of the configuration as an end', () => {
  const targets = configured({
    supabase: { connector: 'postgres-drizzle[pool=8]', system: 'Supabase', url: 'postgres://u@h/d' },
    'small-pool': { connector: 'postgres-storedproc[pool=4]' },
    elsewhere: { connector: 'postgres-driver', url: 'postgres://u@h/d' },
  });
  const definitions = knownTargets(catalog, choice, targets);
  const table = settingsOf(catalog.connectors);
  const run = { processes: 2, poolSize: 50, depth: 1, sessions: 50 };
  const defaults = defaultValues(catalog.connectors, run);

  const pointOf = () => ({ parameters: {}, label: '' });

  function designOf(from: string, to: string) {
    const ends = [
      parseEnd('from', from, definitions, table),
      parseEnd('to', to, definitions, table),
    ] as const;
    const complete = completeEnds(...ends, { table, defaults, nativeDepth: '1' });
    const preferred = ends.map(({ connector }) => connector);
    const gap = gapBetween(complete.from, complete.to, { definitions, preferred, table, defaults, pointOf });
    const [{ all: choiceOfAll } = { all: undefined }] = [...gap];
    return {
      changes: choiceOfAll?.design.changes.map(({ name, from: a, to: b }) => [name, a, b]),
      targets: [...new Set(choiceOfAll?.specs.map(({ target }) => target.target))],
      specs: choiceOfAll?.specs,
    };
  }

  test('of another product is a step of architecture, with its own settings and endpoint', () => {
    const { changes, targets: named, specs } = designOf('postgres-drizzle', 'supabase');
    expect(changes).toEqual([
      ['pool', '50', '8'],
      ['architecture', 'postgres', 'supabase'],
    ]);
    expect(named).toEqual(
      expect.arrayContaining(['postgres-drizzle', 'postgres-drizzle@pool-8', 'supabase', 'supabase@pool-50']),
    );
    const theirs = specs?.find(({ target }) => target.target === 'supabase')?.target;
    expect(theirs).toMatchObject({
      url: 'postgres://u@h/d',
      settings: { ...defaultTargetSettings, processes: 2, poolSize: 8 },
    });
  });

  test('that is started here with other settings differs in those, under its own name', () => {
    const { changes, targets: named } = designOf('postgres-storedproc', 'small-pool');
    expect(changes).toEqual([['pool', '50', '4']]);
    expect(named).toEqual(['postgres-storedproc', 'small-pool']);
  });

  test('of the same system at an endpoint of its own differs in the endpoint', () => {
    const { changes, targets: named } = designOf('postgres-driver', 'elsewhere');
    expect(changes).toEqual([['endpoint', 'postgres-driver', 'elsewhere']]);
    expect(named).toEqual(['postgres-driver', 'elsewhere']);
  });
});
