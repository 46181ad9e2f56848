import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ClientModule,
  type ControlPlane,
  type DataPlane,
  type Row,
  type Route,
  type TargetOptions,
  type TargetWorkload,
} from '@fair-bench/contract';
import { startLoneTarget, type LoneTarget } from '@fair-bench/supervisor';
import {
  createSeededModel,
  drawnCases,
  seededPages,
  shapeOf,
  smallWorkload,
  targetWorkload,
  type Workload,
  type WorkloadDescription,
} from '@fair-bench/workload';
import { fuzzServer } from './fuzz.ts';

const badRequestsDefault = 10_000;
const suiteMsMax = 100_000;

/** A workload as tests name it: its description, and a module of its folder. */
export interface TestedWorkload {
  readonly description: WorkloadDescription;
  /** `import.meta.resolve('@fair-bench/workloads/<name>')` */
  readonly url: string;
}

/** A workload with few rows, as a target is started for it. */
export function targetOf({ description, url }: TestedWorkload): TargetWorkload {
  const folder = dirname(fileURLToPath(url));
  return targetWorkload({ description, folder }, shapeOf(smallWorkload(description)));
}

/** A running target with an open session, for one route's tests. */
class Fixture {
  readonly signal = AbortSignal.timeout(suiteMsMax);
  readonly workload: Workload;
  readonly target: LoneTarget;
  readonly tables: ControlPlane;
  readonly session: DataPlane;

  private constructor(workload: Workload, target: LoneTarget, tables: ControlPlane, session: DataPlane) {
    this.workload = workload;
    this.target = target;
    this.tables = tables;
    this.session = session;
  }

  static async open(
    route: Route,
    client: ClientModule,
    { description, url }: TestedWorkload,
    options: Partial<TargetOptions>,
  ): Promise<Fixture> {
    const workload = targetOf({ description, url });
    const target = await provisionForTest(route, { workload, ...options });
    const { tables, endpoint } = target.deployment;
    if (tables === undefined) throw new Error(`${route.name} has no tables`);
    const context = { index: 0, depth: 16, signal: AbortSignal.timeout(10_000), workload: workload.shape };
    const session = await client.connect(endpoint, context);
    return new Fixture(smallWorkload(description), target, tables, session);
  }

  async seed(): Promise<void> {
    for (const table of this.workload.tables) {
      await this.tables.clear(table.number, this.signal);
      await this.tables.load(table.number, pagesOf(this.workload, table), this.signal);
    }
  }

  async close(): Promise<void> {
    await this.session.close();
    await this.target.close();
  }
}

/**
 * Tests for every route of the RPC protocol in addition to conformance, against its real system: bad requests are
 * refused without a change.
 * @param options the target's settings, durable and under Node by default; and how many bad requests it gets, 10,000 unless
 * the HTTP half, which all servers share, gets so many of this workload behind another one under the same runtime.
 */
export function testRpcConnector(
  route: Route,
  client: ClientModule,
  tested: TestedWorkload,
  {
    badRequests = badRequestsDefault,
    ...options
  }: Partial<TargetOptions> & { readonly badRequests?: number } = {},
): void {
  const { name } = tested.description;
  describe(`${name} by ${route.name} over the RPC protocol`, () => {
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = await Fixture.open(route, client, tested, options);
    });
    afterAll(() => fixture.close());

    test(
      `${badRequests} bad requests are refused in type, and the server serves on`,
      { timeout: 90_000 },
      async () => {
        const { target, tables, signal } = fixture;
        const { deployment } = target;
        await fixture.seed();
        const { url } = deployment.endpoint;
        const workload = shapeOf(fixture.workload);
        const report = await fuzzServer({
          url,
          tables,
          workload,
          requests: badRequests,
          seed: 20_261_120,
          signal,
        });
        expect(report.requests).toBeGreaterThanOrEqual(badRequests);
        const statuses = Object.keys(report.replies).map(Number);
        expect(statuses).toEqual(expect.arrayContaining([400, 404, 405, 413, 415]));
        await deployment.check(signal);
        // Aborted requests no longer count as in flight.
        const inFlightAfresh = async () => {
          await deployment.prepare(signal);
          return await deployment.inFlight(signal);
        };
        await expect.poll(inFlightAfresh, { timeout: 5_000 }).toEqual({ peak: 0 });
        const { model, store } = createSeededModel(fixture.workload);
        for (const { operation, values, expected } of drawnCases(model, store, 1)) {
          expect(await fixture.session.execute(operation, values)).toMatchObject({ kind: expected.kind });
        }
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

async function* pagesOf(
  workload: Workload,
  table: Workload['tables'][number],
): AsyncGenerator<readonly Row[]> {
  for (const page of seededPages(workload, table)) yield await Promise.resolve(page);
}
