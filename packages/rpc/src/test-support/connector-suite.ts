import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ClientModule,
  type ControlPlane,
  type DataPlane,
  jsonObjectSchema,
  type OperationOutcome,
  type Row,
  type Route,
  type TargetOptions,
  type TargetWorkload,
} from '@fair-bench/contract';
import { startLoneTarget, type LoneTarget } from '@fair-bench/supervisor';
import {
  boundaryCases,
  type ConformanceCase,
  createSeededModel,
  drawnCases,
  type MemoryStore,
  seededPages,
  shapeOf,
  smallWorkload,
  type Workload,
  type WorkloadDescription,
} from '@fair-bench/workload';
import { encodeRows } from '../codec/rows.ts';
import { fuzzServer } from './fuzz.ts';

const badRequests = 10_000;
const drawn = 300;
const suiteMsMax = 100_000;

/** A workload as tests name it: its description, and a module of its folder. */
export interface TestedWorkload {
  readonly description: WorkloadDescription;
  /** `import.meta.resolve('@fair-bench/workloads/<name>')` */
  readonly url: string;
}

/** A workload on few rows, as a target is started for it. */
export function targetOf({ description, url }: TestedWorkload): TargetWorkload {
  return {
    shape: shapeOf(smallWorkload(description)),
    description: jsonObjectSchema.parse(description),
    folder: dirname(fileURLToPath(url)),
  };
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

  async rows(table: number): Promise<string> {
    const rows: Row[] = [];
    for await (const page of this.tables.scan(table, this.signal)) rows.push(...page);
    return sorted(rows);
  }

  async close(): Promise<void> {
    await this.session.close();
    await this.target.close();
  }
}

/**
 * What every route that speaks the RPC protocol must do with a workload, against its real system: what the model says,
 * and refuse bad requests without a change.
 *
 * @param options the target's settings; durable and under Node unless said otherwise.
 */
export function testRpcConnector(
  route: Route,
  client: ClientModule,
  tested: TestedWorkload,
  options: Partial<TargetOptions> = {},
): void {
  const { name } = tested.description;
  describe(`${name} by ${route.name} over the RPC protocol`, () => {
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = await Fixture.open(route, client, tested, options);
    });
    afterAll(() => fixture.close());

    test('outcomes, replies and rows are those of the model, at every boundary', async () => {
      expect(await carryOut(fixture, (model, store) => boundaryCases(model, store))).toBeGreaterThan(0);
    });

    test(`outcomes, replies and rows are those of the model, ${drawn} times for each operation`, async () => {
      // Cases that the model ends as a fault (an insert of a key that is there) are left out of what is drawn.
      expect(await carryOut(fixture, (model, store) => drawnCases(model, store, drawn))).toBeGreaterThan(
        drawn * 0.9,
      );
    });

    test('a table is read by keys, and what is missing is left out', async () => {
      await fixture.seed();
      for (const { number, keyColumns, columns } of fixture.workload.tables) {
        const { store } = createSeededModel(fixture.workload);
        const rows = store.rows(number).map(wholeRow);
        const missing = columns
          .slice(0, keyColumns)
          .map(({ type }) => (type.kind === 'int64' ? 999_999n : 999_999));
        const keys = [...rows.map((row) => row.slice(0, keyColumns)), missing];
        expect(sorted(await fixture.tables.read(number, keys, fixture.signal))).toBe(sorted(rows));
      }
    });

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
        // Nothing that was broken off is still counted as in flight.
        const inFlightAfresh = async () => {
          await deployment.prepare(signal);
          return await deployment.inFlight(signal);
        };
        await expect.poll(inFlightAfresh, { timeout: 5_000 }).toEqual({ peak: 0 });
        await carryOut(fixture, (model, store) => drawnCases(model, store, 1));
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

type Cases = (...model: Parameters<typeof boundaryCases>) => Iterable<ConformanceCase>;

/** Carries cases out on the target and in the model, one at a time; then the rows must be the same. Returns how many. */
async function carryOut(fixture: Fixture, casesOf: Cases): Promise<number> {
  await fixture.seed();
  const { model, store } = createSeededModel(fixture.workload);
  let count = 0;
  for (const { operation, values, expected } of casesOf(model, store)) {
    count += 1;
    const outcome = await fixture.session.execute(operation, values);
    expect(seen(outcome), `operation ${operation} of ${JSON.stringify(values.map(String))}`).toEqual(
      expected.kind === 'declined'
        ? { kind: 'declined', reason: expected.reason }
        : { kind: 'applied', rows: expected.rows === null ? null : encodeRows(expected.rows.map(wholeRow)) },
    );
  }
  for (const { number } of fixture.workload.tables) {
    expect(await fixture.rows(number)).toBe(sorted(rowsOf(store, number)));
  }
  return count;
}

function seen(outcome: OperationOutcome): unknown {
  if (outcome.kind === 'declined') return { kind: 'declined', reason: outcome.reason };
  if (outcome.kind === 'fault') return outcome;
  const { reply } = outcome;
  return { kind: 'applied', rows: reply?.kind === 'rows' ? encodeRows(reply.rows) : null };
}

function rowsOf(store: MemoryStore, table: number): Row[] {
  return store.rows(table).map(wholeRow);
}

function wholeRow(row: ReturnType<MemoryStore['rows']>[number]): Row {
  return row.map((value) => value ?? 0);
}

function sorted(rows: readonly Row[]): string {
  return rows
    .map((row) => encodeRows([row]))
    .sort()
    .join('\n');
}

async function* pagesOf(
  workload: Workload,
  table: Workload['tables'][number],
): AsyncGenerator<readonly Row[]> {
  for (const page of seededPages(workload, table)) yield await Promise.resolve(page);
}
