import { type RouteFactors, InputError, defaultTargetSettings } from '@fair-bench/contract';
import { describe, expect, test } from 'vitest';
import type { FoundConnector } from '../src/discover/workspace.ts';
import { chosenTargets } from '../src/targets/known-targets.ts';
import { type TargetDefinition, withValues } from '../src/targets/definition.ts';

const factors: RouteFactors = {
  hop: 'rpc-server',
  dataAccess: 'orm',
  durability: ['durable', 'async'],
  profile: ['default', 'tuned'],
  isolation: ['read-committed', 'serializable'],
  appRuntime: ['node', 'bun'],
  protocol: [],
  pooler: [],
  batch: [],
  processes: true,
  pool: true,
  setup: false,
  program: true,
  extra: {},
  extraOfNode: [],
};

function connector(system: string, given: Partial<RouteFactors> = {}): FoundConnector {
  return {
    name: `${system}-drizzle`,
    manifest: {
      system,
      route: 'drizzle',
      clients: {},
      factors: { ...factors, ...given },
      library: null,
      family: null,
      calibration: false,
      bindings: true,
      byDefault: true,
      application: false,
    },
    isBound: true,
    manifestPath: '',
    modulePath: '',
    nodeClientPath: null,
  };
}

const plain = connector('plain', {
  durability: ['durable'],
  profile: ['default'],
  isolation: [],
  appRuntime: [],
  processes: false,
  pool: false,
});
const catalog = { connectors: [connector('any'), plain], applications: [] };
const choice = { processes: 2, poolSize: 50, url: [], set: [] };

const chosen = (...systems: string[]): readonly TargetDefinition[] =>
  chosenTargets(catalog, { ...choice, systems });

describe('a name with words after its @', () => {
  test('is the target with those settings, and all others as they were', () => {
    const [target] = chosen('any-drizzle@bun-tuned-read-committed-async');
    expect(target).toMatchObject({ target: 'any-drizzle@bun-tuned-read-committed-async', url: null });
    expect(target?.settings).toEqual({
      ...defaultTargetSettings,
      processes: 2,
      poolSize: 50,
      appRuntime: 'bun',
      profile: 'tuned',
      isolation: 'read-committed',
      durability: 'async',
    });
  });

  test('has its words in one order, however they are given', () => {
    expect(chosen('any-drizzle@async-bun', 'any-drizzle@bun-async').map(({ target }) => target)).toEqual([
      'any-drizzle@bun-async',
    ]);
  });

  test('gives a number of processes', () => {
    expect(chosen('any-drizzle@processes-4')[0]?.settings.processes).toBe(4);
    expect(chosen('any-drizzle@processes-4')[0]?.target).toBe('any-drizzle@processes-4');
  });

  test.each(['any-drizzle@deno', 'any-drizzle@', 'any-drizzle@bun-bunny', 'any-drizzle@processes-0'])(
    '%s is refused with the existing words',
    (name) => {
      expect(() => chosen(name)).toThrow(InputError);
      expect(() => chosen(name)).toThrow('bun, tuned, read-committed, serializable, async, processes-N');
    },
  );

  test('is refused where the connector takes no settings', () => {
    expect(() => chosen('plain-drizzle@async')).toThrow('plain-drizzle, and no variant of it');
  });
});

test('a variant of a variant keeps the first one’s settings', () => {
  const [target] = chosen('any-drizzle@bun');
  expect(target && withValues(target, { durability: 'async' }).target).toBe('any-drizzle@bun-async');
  expect(target && withValues(target, { runtime: 'node' }).target).toBe('any-drizzle');
});

test('a setting of a connector applies to its variants, one of a variant only to that variant', () => {
  const set = [
    { target: 'any-drizzle', key: 'size', value: '1' },
    { target: 'any-drizzle@bun', key: 'colour', value: 'red' },
  ];
  const systems = ['any-drizzle', 'any-drizzle@bun'];
  const [node, bun] = chosenTargets(catalog, { ...choice, systems, set });
  expect(node?.settings.extra).toEqual({ size: '1' });
  expect(bun?.settings.extra).toEqual({ size: '1', colour: 'red' });
});
