import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route, TargetOptions } from '@fair-bench/contract';
import { discoverFor, loadConnector } from '@fair-bench/runner';
import { loneTargetOptions } from '@fair-bench/supervisor';
import { testBatches } from './suite/batches.ts';
import { testEvidence } from './suite/evidence.ts';
import { Fixture } from './suite/fixture.ts';
import { Stage } from './suite/stage.ts';
import { testAvailability, testEnd, testKill, testStart, testTrials } from './suite/life.ts';
import { testModel } from './suite/model.ts';
import { testSessions } from './suite/sessions.ts';
import { drawnCount } from '@fair-bench/workload';
import { testCompaction, testTables } from './suite/tables.ts';
import { chosen, everyTest, timedOn } from '@fair-bench/contract/test-support';
import { root, workloadNamed, workloadNames } from './workloads.ts';

export interface ConformanceOptions extends Partial<TargetOptions> {
  /** For a system that the connector starts: kill it under load, and audit it after its restart. */
  readonly killable?: boolean;
  /** The sessions of its trials, each with several operations outstanding; 8 by default. A slow system needs fewer to show the same. */
  readonly sessions?: number;
  /** Whether its driver sends a session's next operation before the reply to the one before; true unless given. */
  readonly pipelines?: boolean;
  /** The number of drawn operations compared with the model: fewer for a slow system, which repeats less. */
  readonly drawnOperations?: number;
  /** The names of the workloads; all of the repository's unless given. */
  readonly workloads?: readonly string[];
  /** The workloads in `npm test`, of a route whose bindings and code are those of another one that is tested there on all. */
  readonly some?: readonly string[];
  /** Only these of its parts, besides starting and ending it; all by default. */
  readonly parts?: readonly Part[];
  /**
   * The parts in `npm test`: the model, a session's life and one short trial unless given. With `evidence` the route stands for others
   * of its code: it is timed on a second workload too, and while operations meet on few rows.
   */
  readonly someParts?: readonly Part[];
}

/** How many drawn operations `npm test` compares with the model. */
const drawnInSome = 100;

/** A part of the suite: a file of `suite/`, or the trials and the kill of `life.ts`. */
export type Part = 'model' | 'batches' | 'tables' | 'sessions' | 'evidence' | 'trials' | 'kill';
export const everyPart: readonly Part[] = [
  'model',
  'batches',
  'tables',
  'sessions',
  'evidence',
  'trials',
  'kill',
];
/** Of a route that stands in `npm test` for others of its code. */
export const allButKill: readonly Part[] = everyPart.filter((part) => part !== 'kill');
const someByDefault: readonly Part[] = ['model', 'sessions', 'trials'];

/**
 * Registers the tests that every route of a connector must pass, against its real system, started as by the runner: those
 * of its bindings once for each workload of the repository, those of its sessions and its evidence on the first. Tests of anything unavailable here, or without a binding for the
 * workload, are skipped with the reason.
 * @param route one of the connector's: `routeOf(connector, 'drizzle')`.
 * @param clientModulePath the module that the Node load client imports, as in the manifest.
 * @param options the target's settings, small and durable by default; and whether it is killed. Without a `url`, the
 * server in `<SYSTEM>_TEST_URL` is used, if it is set.
 */
export function describeConnector(
  route: Route,
  clientModulePath: string,
  { workloads: all = workloadNames(), some, ...options }: ConformanceOptions = {},
): void {
  const stage = new Stage();
  const workloads = some === undefined ? all : chosen(all, (name) => some.includes(name));
  const timed = timedOn(route.name, workloads);
  for (const [index, workload] of workloads.entries()) {
    const isFirst = index === 0;
    const tested = { workload, isFirst, isTimed: timed.has(workload), isWired: isFirst, stage };
    describeRoute(route, clientModulePath, options, tested);
  }
  afterAll(() => stage.place.close());
  test(`${route.name} conforms on at least one workload, if it is available here`, async ({ skip }) => {
    const given = { ...testUrl(route), ...options };
    const lacking: string[] = [];
    for (const workload of workloads) {
      const found = await new Fixture({ route, clientModulePath, options: given, workload, stage }).probe();
      if (!found.available) lacking.push(found.reason);
    }
    if (lacking.length < workloads.length) return;
    const system = await route.probe({ ...loneTargetOptions, ...given, workload: null });
    if (!system.available) skip(`${route.name}: ${system.reason}; ${system.remedy}`);
    const mistake = `${route.name} is available, and every test of it was skipped: ${lacking.join('; ')}; write a binding`;
    expect(lacking, mistake).toEqual([]);
  });
}

/**
 * Registers the same tests for one workload of the repository, on every route with a binding for it: its own test
 * file calls it.
 */
export async function describeWorkload(name: string): Promise<void> {
  const { connectors } = await discoverFor(root, await workloadNamed(name));
  for (const found of connectors) {
    const { manifest, nodeClientPath, isBound } = found;
    if (nodeClientPath === null || manifest.calibration || !isBound) continue;
    const only = { workload: name, isFirst: true, isTimed: true, isWired: false, stage: new Stage() };
    describeRoute(await loadConnector(found), nodeClientPath, {}, only);
  }
}

/** A server that the tests may write to: `MYDB_TEST_URL`. */
function testUrl(route: Route): { url?: string } {
  const system = route.name.slice(0, route.name.lastIndexOf('-'));
  const url = process.env[`${system.toUpperCase().replaceAll('-', '_')}_TEST_URL`] ?? '';
  return url === '' ? {} : { url };
}

function describeRoute(
  route: Route,
  clientModulePath: string,
  {
    killable = false,
    sessions = 8,
    drawnOperations = drawnCount,
    parts: every = everyPart,
    someParts = every.filter((part) => someByDefault.includes(part)),
    pipelines = true,
    ...options
  }: Omit<ConformanceOptions, 'workloads' | 'some'>,
  {
    workload,
    isFirst,
    isTimed,
    isWired,
    stage,
  }: {
    readonly workload: string;
    readonly isFirst: boolean;
    /** Whether trials are timed on it, and tables and batches tried. */
    readonly isTimed: boolean;
    /** Whether a session's requests are counted on the wire. */
    readonly isWired: boolean;
    readonly stage: Stage;
  },
): void {
  describe(`${route.name} conforms on ${workload}`, async () => {
    // What processes of an application server share is the same for every workload, and each imports an ORM anew.
    const all = { processes: isFirst ? 2 : 1, ...testUrl(route), ...options };
    const fixture = new Fixture({ route, clientModulePath, options: all, workload, stage });
    testAvailability(fixture);
    // One skipped test represents all others.
    if (!(await fixture.isAvailable())) return;

    stage.expect();
    beforeAll(() => fixture.start());
    afterAll(async () => void (await fixture.close()));
    testStart(fixture);
    const parts = everyTest ? every : someParts;
    const has = (part: Part): boolean => parts.includes(part);
    if (has('model'))
      testModel(fixture, everyTest ? drawnOperations : Math.min(drawnOperations, drawnInSome));
    const stands = everyTest || someParts.includes('evidence');
    // On another workload than the first, `npm test` times one trial.
    const isTried = isTimed && (everyTest || (isFirst && stands));
    if (isTried && has('batches') && fixture.batch.length > 0) testBatches(fixture);
    if (isTried && has('tables')) testTables(fixture);
    if (isFirst && has('tables') && fixture.isInLoadClient) testCompaction(fixture);
    if (isFirst && has('sessions')) testSessions(fixture);
    if (isFirst && has('evidence')) testEvidence(fixture);
    if (isTimed && (isFirst || stands) && has('trials'))
      testTrials(fixture, {
        sessions,
        isContended: isTried,
        requestsOnWire: isWired ? (pipelines ? 'its depth' : 'one') : 'not counted',
      });
    if (isFirst && has('kill')) testKill(fixture, killable);
    testEnd(fixture);
  });
}
