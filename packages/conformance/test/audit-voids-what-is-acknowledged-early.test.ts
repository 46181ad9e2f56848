import type { Deployment } from '@fair-bench/contract';
import type { TrialRecord } from '@fair-bench/results';
import { chosen, inTestAll } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEarlyPostgresProxy, startHidingPostgresProxy } from './liars/early-postgres-proxy.ts';
import { type LyingServer, startEarlyRpcServer } from './liars/early-rpc-server.ts';
import { workloadNamed } from '../src/workloads.ts';
import { caught, LiarBench, verdictOf } from './support/liar-bench.ts';

const driver = 'postgres-driver';
const storedproc = 'postgres-storedproc';
const sqlite = 'sqlite-drizzle';
const unbounded = Number.POSITIVE_INFINITY;
const isFirst = (_: unknown, place: number): boolean => place === 0;
/** Each has its own source of commits. */
const systems = chosen([driver, storedproc, sqlite], isFirst);
/** The reasons of canaries with keys of their own, and of operations of the load. */
const early =
  /^void: .*(were acknowledged were not visible to another connection: transfer was acknowledged|of the load were acknowledged, and another connection did not find)/;
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.open(driver, storedproc, sqlite);
});
afterAll(() => bench.close());

describe.each(systems)('a session of %s that acknowledges early', (system) => {
  inTestAll(() => {
    test('with an unbounded backlog voids the trial twice', async () => {
      const verdict = verdictOf(await bench.withClient(system, 'acknowledges-early', 'told'));
      expect(await bench.lies(system)).toBeGreaterThan(20);
      expect(verdict).toMatch(early);
      expect(verdict).toMatch(
        /were acknowledged (when|[\d.]+ ms after) the window.*and the system had committed \d+/,
      );
    });
  });

  test('with a backlog of 16 voids the trial, though every row is right in the end', async () => {
    const record = await bench.withClient(system, 'acknowledges-sixteen-early', 'told');
    // A server that keeps up leaves nothing to be early with.
    expect(await bench.lies(system)).toBeGreaterThan(20);
    expect(verdictOf(record)).toMatch(early);
    expect(record.audit?.status).toBe('passed');
  });

  test('passes in the same setting without the lie, and every canary is visible', async () => {
    const record = await bench.withClient(system, 'acknowledges-early', 'none');
    expect(verdictOf(record)).toBe('ok');
    const { canaries, committedAtWindowEnd } = present(record.status === 'ok' ? record.observed : undefined);
    expect(canaries).toMatchObject({ planned: 5, visible: canaries?.read, problems: [] });
    expect(canaries?.read).toBeGreaterThan(0);
    expect(committedAtWindowEnd?.count).toBeGreaterThan(0);
  });
});

// The application server of a stored procedure counts what is in flight, and would see it too.
test.each(chosen([driver, sqlite], isFirst))(
  'a session of %s that acknowledges early for a while, with honest canaries, voids the trial',
  async (system) => {
    const record = await bench.withClient(system, 'acknowledges-early-for-a-while', 'told', {
      windowMs: 1_000,
    });
    expect(verdictOf(record)).toMatch(
      /^void: .*\d+ operations that write were acknowledged (when|[\d.]+ ms after) the window.*, and the system had/,
    );
    expect(record.audit?.status).toBe('passed');
  },
);

inTestAll(() => {
  describe('a session that acknowledges early with honest canaries, and burns an id for each operation,', () => {
    // Each row is written all the time, so that no operation can be looked for.
    const setting = { windowMs: 1_000, sizes: { rows: 16 } };

    test('voids the trial by its ids alone', async () => {
      const record = await bench.withClient(driver, 'burns-ids', 'told', setting);
      expect(verdictOf(record)).toMatch(
        /^void: \d+ transactions ended in the trial, of which its operations explain \d+; of the \d+ that had ended .*, and \d+ were acknowledged/,
      );
      expect(record).toMatchObject({ audit: { status: 'passed' }, voidBy: ['unexplained-commits'] });
    });

    test('passes in the same setting without the lie', async () => {
      expect(verdictOf(await bench.withClient(driver, 'burns-ids', 'none', setting))).toBe('ok');
    });
  });
});

describe('a session that acknowledges the oldest operation first, with honest canaries,', () => {
  // Some wait long for a hot row.
  const setting = { windowMs: 1_500, parameters: { alpha: 1.2 }, sizes: { rows: 20_000 } };

  test('voids the trial by the operations of the load alone', async () => {
    const record = await bench.withClient(driver, 'acknowledges-oldest-first', 'told', setting);
    expect(await bench.lies(driver)).toBeGreaterThan(100);
    expect(verdictOf(record)).toMatch(
      /^void: \d+ of \d+ operations of the load were acknowledged, and another connection did not find their effect: operation/,
    );
    expect(record).toMatchObject({ audit: { status: 'passed' }, voidBy: ['acknowledged-undone'] });
  });

  test('passes in the same setting without the lie, and every effect is there', async () => {
    const record = await bench.withClient(driver, 'acknowledges-oldest-first', 'none', setting);
    expect(verdictOf(record)).toBe('ok');
    const natural = present(record.status === 'ok' ? record.observed : undefined).natural ?? null;
    expect(natural?.judged).toBeGreaterThan(3);
    expect(natural).toMatchObject({ visible: natural?.judged, problems: [] });
  });
});

inTestAll(() => {
  describe('canaries that', () => {
    test.each(systems)('a session of %s acknowledges early void the trial by themselves', async (system) => {
      const record = await bench.withClient(system, 'acknowledges-canaries-early', 'told');
      expect(verdictOf(record)).toMatch(early);
      expect(record.audit?.status).toBe('passed');
    });

    test('a session declines void the trial, though every row is right', async () => {
      const record = await bench.withClient(sqlite, 'declines-canaries', 'told');
      expect(verdictOf(record)).toMatch(
        /^void: [1-5] of 5 operations beside the load were declined, on rows/,
      );
      expect(record.audit?.status).toBe('passed');
    });

    test('a load client leaves out void the trial, though every row is right', async () => {
      // Each of few sessions has time for many operations.
      const setting = { sessions: 4, depth: 2 };
      const record = await bench.withLoadClient(storedproc, 'leaves-canaries-out', setting);
      expect(verdictOf(record)).toMatch(/^void: none of 5 operations beside the load could be read/);
      expect(record.audit?.status).toBe('passed');
    });
  });
});

describe.each(
  chosen(
    [
      ['an RPC server', storedproc, 'early-rpc-server', startEarlyRpcServer],
      ["a proxy on the database's own protocol", driver, 'early-postgres-proxy', startEarlyPostgresProxy],
    ] as const,
    ([, system]) => system === driver,
  ),
)('%s that acknowledges early', (_name, system, name, start) => {
  test.each(chosen([unbounded, 16], (backlog) => backlog === 16))(
    'with a backlog of at most %d voids the trial',
    async (backlogMax) => {
      const liar = await start(bench.deployment(system).endpoint.url, backlogMax);
      try {
        expect(verdictOf(caught(name, await through(system, liar)))).toMatch(/^void: .*were acknowledged/);
      } finally {
        await liar.close();
      }
    },
  );

  test('passes with no backlog through the same proxy', async () => {
    const liar = await start(bench.deployment(system).endpoint.url, 0);
    try {
      expect(verdictOf(await through(system, liar))).toBe('ok');
    } finally {
      await liar.close();
    }
  });
});

inTestAll(() => {
  describe('a proxy that everything goes through, and that lets nobody look before it is done,', () => {
    const measured = async (backlogMax: number) => {
      const proxy = await startHidingPostgresProxy(bench.deployment(driver).endpoint.url, backlogMax);
      const byUrl = await LiarBench.with({ url: proxy.url }, await workloadNamed('transfer'), driver);
      try {
        const record = await byUrl.withoutClient(driver, { windowMs: 1_500 });
        expect(verdictOf(record)).toBe('ok');
        return record.status === 'ok' ? record.observed.natural : undefined;
      } finally {
        await byUrl.close();
        await proxy.close();
      }
    };

    test('is not seen, and the trial says that it could not have been', async () => {
      const natural = present(await measured(16));
      expect(natural).toMatchObject({ seesLatency: false, visible: natural?.judged, problems: [] });
      expect(natural?.late).toBeGreaterThan(0);
    });

    test('does not keep an honest trial from seeing a lead', async () => {
      expect(await measured(0)).toMatchObject({ seesLatency: true });
    });
  });
});

async function through(system: string, { url }: LyingServer): Promise<TrialRecord> {
  return await bench.withoutClient(system, {
    controlPlane: (deployment: Deployment) => ({ ...deployment, endpoint: { ...deployment.endpoint, url } }),
  });
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the test expected a value');
  return value;
}
