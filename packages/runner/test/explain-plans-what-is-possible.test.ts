import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { InputError } from '@fair-bench/contract';
import { gapOf, idsOf, planOf } from './support/gaps.ts';

describe('what lies between two ends', () => {
  test('hop and data access move between connectors of one system, and an ORM without a server is reported as impossible', () => {
    const plan = planOf('postgres-drizzle[depth=1]', 'postgres-driver');
    expect(plan.design.changes.map(({ name }) => name)).toEqual(['data access', 'hop']);
    expect(idsOf(plan)).toEqual([
      'postgres-driver-a0.5-d1-s50',
      'postgres-drizzle-a0.5-d1-s50',
      'postgres-storedproc-a0.5-d1-s50',
    ]);
    expect(plan.design.skipped).toEqual([
      {
        cell: 'postgres-drizzle[depth=1] with hop none',
        reason: 'impossible: postgres has no connector with an ORM and no RPC server',
      },
    ]);
  });

  test('a native end takes its depth from the search, and every combination of three free factors is a cell', () => {
    const plan = planOf('postgres-drizzle[depth=1]', 'postgres-storedproc[client=native]');
    expect(plan.design.changes).toEqual([
      { name: 'data access', from: 'orm', to: 'stored-procedure', isArchitecture: false },
      { name: 'client', from: 'node', to: 'native', isArchitecture: false },
      { name: 'depth', from: '1', to: '8', isArchitecture: false },
    ]);
    expect(plan.design.cells).toHaveLength(8);
    expect(plan.design.skipped).toEqual([]);
  });

  test('an end that only names the same target has the defaults of what the other end names', () => {
    const plan = planOf('postgres-driver[depth=4,pooler=pgbouncer]', 'postgres-driver[depth=4]');
    expect(plan.design.changes).toEqual([
      { name: 'pooler', from: 'pgbouncer', to: 'none', isArchitecture: false },
    ]);
    expect(() => planOf('postgres-driver', 'postgres-driver')).toThrow('another target or setting');
  });

  test('the step between systems happens where both have the same settings', () => {
    const plan = planOf(
      'postgres-drizzle[processes=1,isolation=serializable]',
      'spacetimedb-sdk[depth=40]',
      undefined,
      1,
    );
    const { changes, cells, skipped, withArchitecture } = plan.design;
    // Done in PostgreSQL, which has no code inside its engine; a reducer is SpacetimeDB's kind of it.
    expect(changes[0]).toMatchObject({ name: 'data access', from: 'orm', to: 'stored-procedure' });
    expect(withArchitecture).toEqual([
      'data access (stored-procedure → engine)',
      'client library (node-postgres with clientCodec tuned → SpacetimeDB SDK)',
    ]);
    expect(changes.map(({ name }) => name)).toEqual([
      'data access',
      'hop',
      'depth',
      'isolation',
      'application processes',
      'clientCodec',
      'architecture',
    ]);
    const spacetimedb = cells.filter(({ cellId }) => cellId.startsWith('spacetimedb'));
    // Settings that SpacetimeDB lacks change on PostgreSQL's side: only the depth can differ here.
    expect(spacetimedb.map(({ cellId }) => cellId)).toEqual([
      'spacetimedb-sdk-a0.5-d1-s50',
      'spacetimedb-sdk-a0.5-d40-s50',
    ]);
    expect(skipped.map(({ reason }) => reason)).toContain(
      'impossible: spacetimedb has no connector with an ORM and an RPC server',
    );
  });

  test('the way back from a system makes the same steps', () => {
    const there = planOf('postgres-drizzle[processes=1]', 'spacetimedb-sdk', undefined, 1);
    const back = planOf('spacetimedb-sdk', 'postgres-drizzle[processes=1]', undefined, 1);
    expect(idsOf(back)).toEqual(idsOf(there));
    expect(back.design.changes[0]).toMatchObject({ from: 'stored-procedure', to: 'orm' });
    expect(back.design.withArchitecture).toEqual([
      'data access (engine → stored-procedure)',
      'client library (SpacetimeDB SDK → node-postgres with clientCodec tuned)',
    ]);
  });

  test('code inside either database is no step of its own between systems', () => {
    const { changes, withArchitecture } = planOf('postgres-driver', 'spacetimedb-sdk').design;
    expect(changes.map(({ name }) => name)).toEqual(['clientCodec', 'architecture']);
    expect(withArchitecture).toContain('data access (stored-procedure → engine)');
  });

  test('a codec that only one system can vary is a factor on its side, before the step between the systems', () => {
    const { design, core } = planOf('postgres-driver', 'spacetimedb-sdk');
    expect(design.changes[0]).toEqual({
      name: 'clientCodec',
      from: 'stock',
      to: 'tuned',
      isArchitecture: false,
    });
    expect(core.map(({ target }) => target.target)).toEqual([
      'postgres-driver',
      'postgres-driver@clientcodec-tuned',
      'spacetimedb-sdk',
    ]);
    expect([design.from, design.to].join()).not.toContain('clientCodec');
    expect(design.ofOneSystem).toEqual([
      'postgres: isolation, tuning profile, statement protocol, tls',
      'spacetimedb: compression, reducers, transport',
    ]);
  });

  test.each([
    ['the native client has no library of a system', 'postgres-driver', 'spacetimedb-sdk[client=native]'],
    ['the end has the codec already', 'postgres-driver[clientCodec=tuned]', 'spacetimedb-sdk'],
    ['both ends have a choice of it', 'sqlite-drizzle', 'postgres-drizzle'],
    ['no order has room for it', 'sqlite-drizzle', 'spacetimedb-sdk'],
  ])('it is no factor of its own where %s', (_, from, to) => {
    const { changes } = planOf(from, to).design;
    expect(changes.map(({ name }) => name)).not.toContain('clientCodec');
    expect(changes.map(({ name }) => name)).toContain('architecture');
  });

  test('a setting of one load client changes while that one is the client', () => {
    const plan = planOf(
      'spacetimedb-sdk[compression=gzip,depth=8]',
      'spacetimedb-sdk[client=native,depth=8,compression=none]',
    );
    expect(idsOf(plan)).toEqual([
      'spacetimedb-sdk-a0.5-d8-s50',
      'spacetimedb-sdk-native-a0.5-d8-s50',
      'spacetimedb-sdk@compression-gzip-a0.5-d8-s50',
    ]);
    expect(plan.design.skipped.map(({ reason }) => reason)).toEqual([
      'impossible: the native load client has no compression for spacetimedb-sdk, so that it cannot be gzip',
    ]);
  });

  test('settings that only change with the system change with it', () => {
    const plan = planOf('sqlite-drizzle', 'spacetimedb-sdk[depth=8]');
    expect(plan.design.cells).toHaveLength(4);
  });

  test('a setting that an end lacks is refused with its own settings', () => {
    expect(() => planOf('postgres-driver[processes=2]', 'postgres-drizzle')).toThrow(InputError);
    expect(() => planOf('postgres-driver[runtime=bun]', 'postgres-drizzle')).toThrow(
      /--from: got "postgres-driver\[runtime=bun\]"; accepts settings that postgres-driver has: client, depth/,
    );
    expect(() => planOf('convex-http[durability=async]', 'postgres-drizzle')).toThrow(
      /convex-http cannot have durability async/,
    );
    expect(() => planOf('postgres-drizzle', 'postgres-drizzle[depth=1]')).toThrow(/--to: .*another target/);
  });

  test('how calls are sent is a factor of one route, by either client and codec', () => {
    const plan = planOf(
      'postgres-driver[protocol=simple,client=native,depth=1]',
      'postgres-driver[protocol=prepared,client=native,depth=1]',
    );
    expect(plan.design.changes).toMatchObject([
      { name: 'statement protocol', from: 'simple', to: 'prepared', isArchitecture: false },
    ]);
    expect(plan.design.cells).toHaveLength(2);
    const tuned = planOf(
      'postgres-driver[protocol=simple]',
      'postgres-driver[protocol=prepared,clientCodec=tuned]',
    );
    expect(tuned.design.skipped).toEqual([]);
    expect(() => gapOf('postgres-storedproc[protocol=simple]', 'postgres-driver')).toThrow(
      /which "protocol" is not/,
    );
  });

  test('targets of one connector differ by their settings', () => {
    const plan = planOf('postgres-drizzle', 'postgres-drizzle[pool=10,durability=async]');
    expect(idsOf(plan).map((id) => id.split('-a0.5')[0])).toEqual([
      'postgres-drizzle',
      'postgres-drizzle@async',
      'postgres-drizzle@async-pool-10',
      'postgres-drizzle@pool-10',
    ]);
  });
});

test('the processors of the servers are a factor', () => {
  const { design, specs } = planOf('sqlite-drizzle[cores=1]', 'sqlite-drizzle[cores=all]');
  expect(design.changes).toEqual([
    expect.objectContaining({ name: 'server processors', from: '1', to: 'all' }),
  ]);
  expect(new Set(specs.map(({ cores }) => cores))).toEqual(new Set([1, undefined]));
  const tooMany = String(availableParallelism() + 1);
  expect(() => planOf(`sqlite-drizzle[cores=${tooMany}]`, 'sqlite-drizzle')).toThrow(
    /cores: all, or a whole number of this machine's/,
  );
  expect(() => planOf('lmdb-embedded[cores=1]', 'lmdb-embedded')).toThrow(/which "cores" is not/);
});
