import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  amountMax,
  declined,
  type SessionModule,
  type Route,
  type Session,
  type TargetOptions,
  type Transfer,
  type TransferAccess,
} from '@fair-bench/contract';
import { fuzzServer } from './fuzz.ts';
import { startLoneTarget, type LoneTarget } from '@fair-bench/supervisor';

const badRequests = 10_000;
const accounts = 100;
const suiteMsMax = 100_000;

/** A running target with an open session, for one route's tests. */
class Fixture {
  readonly signal = AbortSignal.timeout(suiteMsMax);
  readonly target: LoneTarget;
  readonly access: TransferAccess;
  readonly session: Session<Transfer>;

  private constructor(target: LoneTarget, access: TransferAccess, session: Session<Transfer>) {
    this.target = target;
    this.access = access;
    this.session = session;
  }

  static async open(route: Route, client: SessionModule, options: Partial<TargetOptions>): Promise<Fixture> {
    const target = await provisionForTest(route, options);
    const access = target.deployment.workloads.transfer;
    const connect = client.sessions.transfer;
    if (access === undefined || connect === undefined) throw new Error('there is no transfer workload');
    const context = { index: 0, depth: 16, signal: AbortSignal.timeout(10_000) };
    return new Fixture(target, access, await connect(target.deployment.endpoint, context));
  }

  execute(source: number, target: number, amount: bigint) {
    return this.session.execute({ source, target, amount });
  }

  async balances(): Promise<bigint[]> {
    const all: bigint[] = [];
    for await (const page of this.access.balances(this.signal)) {
      page.ids.forEach((id, index) => (all[id] = page.balances[index] ?? -1n));
    }
    return all;
  }

  async close(): Promise<void> {
    await this.session.close();
    await this.target.close();
  }
}

/**
 * What every route that speaks the RPC protocol must do, against its real system: decide each rule as
 * PROTOCOL.md says, and refuse bad requests without a change.
 *
 * @param options what the target is told; durable and under Node unless said otherwise.
 */
export function testRpcConnector(
  route: Route,
  client: SessionModule,
  options: Partial<TargetOptions> = {},
): void {
  describe(`${route.name} over the RPC protocol`, () => {
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = await Fixture.open(route, client, options);
    });
    afterAll(() => fixture.close());

    test('each rule decides in its order, and only an applied transfer changes balances', async () => {
      await fixture.access.seed({ accounts: 7, initialBalance: 100n }, fixture.signal);
      await demandOutcomes(fixture);
      expect(await fixture.balances()).toEqual([100n, 0n, 200n, 100n, 100n, 100n, 100n]);
    });

    test('opposite transfers at depth end without a fault, and change what they say', async () => {
      await fixture.access.seed({ accounts: 2, initialBalance: 1_000n }, fixture.signal);
      const moved = await moveToAndFro(fixture, 200);
      expect(moved).toBeGreaterThan(0n);
      expect(await fixture.balances()).toEqual([1_000n - moved, 1_000n + moved]);
    });

    test('a balance beyond 64 bits is refused and changes nothing', async () => {
      await fixture.access.seed({ accounts: 2, initialBalance: amountMax }, fixture.signal);
      const refusal = { kind: 'fault', code: 'invalid-request', inDoubt: false };
      expect(await fixture.execute(0, 1, 1n)).toMatchObject(refusal);
      expect(await fixture.execute(1, 0, 1n)).toMatchObject(refusal);
      expect(await fixture.balances()).toEqual([amountMax, amountMax]);
    });

    test(
      `${badRequests} bad requests are refused in type, and the server serves on`,
      { timeout: 90_000 },
      async () => {
        const { target, access, signal } = fixture;
        const { deployment } = target;
        await access.seed({ accounts, initialBalance: 1_000n }, signal);
        const { url } = deployment.endpoint;
        const report = await fuzzServer({ url, access, requests: badRequests, seed: 20_261_120, signal });
        expect(report.requests).toBeGreaterThanOrEqual(badRequests);
        const statuses = Object.keys(report.replies).map(Number);
        expect(statuses).toEqual(expect.arrayContaining([200, 400, 404, 405, 413, 415]));
        await deployment.check(signal);
        // Nothing that was broken off is still counted as in flight.
        const inFlightAfresh = async () => {
          await deployment.prepare(signal);
          return await deployment.inFlight(signal);
        };
        await expect.poll(inFlightAfresh, { timeout: 5_000 }).toEqual({ peak: 0 });
      },
    );
  });
}

/** A route's target, with as many server processes as a small machine has cores. */
export async function provisionForTest(
  route: Route,
  options: Partial<TargetOptions> = {},
): Promise<LoneTarget> {
  return await startLoneTarget(route, { poolSize: 4, ...options });
}

async function demandOutcomes(fixture: Fixture): Promise<void> {
  expect(await fixture.execute(1, 2, 100n)).toEqual({ kind: 'applied', retries: 0 });
  expect(await fixture.execute(3, 4, 101n)).toEqual(declined('insufficient-funds'));
  expect(await fixture.execute(3, 99, 101n)).toEqual(declined('missing-account'));
  expect(await fixture.execute(99, 3, amountMax)).toEqual(declined('missing-account'));
  expect(await fixture.execute(5, 5, 1n)).toEqual(declined('same-account'));
  expect(await fixture.execute(5, 5, 0n)).toEqual(declined('non-positive-amount'));
  expect(await fixture.execute(6, 5, -1n)).toEqual(declined('non-positive-amount'));
  expect(await fixture.execute(5, 6, amountMax)).toEqual(declined('insufficient-funds'));
  expect(await fixture.execute(5, 5, amountMax + 1n)).toMatchObject({
    code: 'invalid-request',
    inDoubt: false,
  });
}

/** Sends transfers of 3 one way and of 1 the other, all at once. Returns what moved in sum. */
async function moveToAndFro(fixture: Fixture, count: number): Promise<bigint> {
  const outcomes = await Promise.all(
    Array.from({ length: count }, (_value, index) =>
      index % 2 === 0 ? fixture.execute(0, 1, 3n) : fixture.execute(1, 0, 1n),
    ),
  );
  expect(outcomes.filter(({ kind }) => kind === 'fault')).toEqual([]);
  const appliedOf = (parity: number) =>
    BigInt(outcomes.filter(({ kind }, index) => kind === 'applied' && index % 2 === parity).length);
  return appliedOf(0) * 3n - appliedOf(1);
}
