import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from 'vitest';
import { z } from 'zod';
import {
  type Availability,
  connectorManifestSchema,
  type ControlPlane,
  type DataPlane,
  type Deployment,
  type Endpoint,
  messageOf,
  type OperationOutcome,
  type Route,
  type RouteFactors,
  routesOf,
  type Row,
  type TargetOptions,
} from '@fair-bench/contract';
import { importClient } from '@fair-bench/load-client';
import { type LoadedWorkload, seed } from '@fair-bench/runner';
import { type LoneTarget, loneTargetOptions } from '@fair-bench/supervisor';
import {
  compareKeys,
  shapeOf,
  smallParameters,
  smallRows,
  targetWorkload,
  type Workload,
} from '@fair-bench/workload';
import { workloadNamed } from '../workloads.ts';
import { type ConformanceCase, writerOf } from './cases.ts';
import type { Stage } from './stage.ts';

type Skip = TestContext['skip'];

/** The test that reports a failed start, once for all others: `testStart`. */
const startTest = 'starts, and applies one operation';

type State =
  | { readonly status: 'ready'; readonly target: RunningTarget }
  | { readonly status: 'unavailable'; readonly note: string }
  | { readonly status: 'failed'; readonly error: unknown };

interface FixtureSetting {
  readonly route: Route;
  readonly clientModulePath: string;
  readonly options: Partial<TargetOptions>;
  /** The name of a workload of the repository. */
  readonly workload: string;
  readonly stage: Stage;
}

/**
 * One route's target, started once for its suite on one workload. A failed start fails one test, which reports it;
 * the others are skipped.
 */
export class Fixture {
  readonly route: Route;
  readonly options: TargetOptions;
  readonly #setting: FixtureSetting;
  #lone: LoneTarget | undefined;
  #closing: Promise<readonly number[]> | undefined;
  #state: State = { status: 'failed', error: new Error('the suite has not been started') };
  /** The test that found a problem which several others would find again. */
  #failedTest: string | null = null;

  constructor(setting: FixtureSetting) {
    this.#setting = setting;
    this.route = setting.route;
    this.options = { ...loneTargetOptions, ...setting.options };
  }

  async start(): Promise<void> {
    this.#state = await this.#provision().catch((error: unknown) => ({ status: 'failed' as const, error }));
  }

  async probe(): Promise<Availability> {
    return await this.route.probe(await this.targetOptions());
  }

  /**
   * Whether the probe reports it available; a probe that rejects fails its own test, and the others continue as far
   * as possible.
   */
  async isAvailable(): Promise<boolean> {
    const availability = await this.probe().catch(() => null);
    return availability?.available !== false;
  }

  /** The target; skips the test if it is unavailable or did not start. */
  target(skip: Skip): RunningTarget {
    if (this.#state.status === 'unavailable') return skip(this.#state.note);
    if (this.#state.status === 'failed') return skip(`see the test "${startTest}"`);
    return this.#state.target;
  }

  /**
   * The target, for a test that would only repeat the finding of another.
   * @param own the test, if it is one that others would repeat: tried again, it must not skip for its own failure.
   */
  soundTarget(skip: Skip, own?: string): RunningTarget {
    const target = this.target(skip);
    const failed = this.#failedTest;
    return failed === null || failed === own ? target : skip(`see the test "${failed}"`);
  }

  /** Remembers whether this test failed, so that its mistake is reported once. Its last try counts. */
  judged(test: string, passed: boolean): void {
    if (!passed) this.#failedTest ??= test;
    else if (this.#failedTest === test) this.#failedTest = null;
  }

  /** Why the target did not start, or did not execute its first operation; null if it did. */
  startError(skip: Skip): unknown {
    if (this.#state.status === 'failed') return this.#state.error;
    this.target(skip);
    return null;
  }

  /** The levels of durability that the manifest offers. */
  get levels(): RouteFactors['durability'] {
    return factorsOf(this.#setting.clientModulePath, this.route.name)?.durability ?? [];
  }

  /** Whether the manifest says that the engine is in the load client. */
  get isInLoadClient(): boolean {
    return factorsOf(this.#setting.clientModulePath, this.route.name)?.hop === 'in-process';
  }

  /** The load clients that can send batches, as the manifest says. */
  get batch(): RouteFactors['batch'] {
    return factorsOf(this.#setting.clientModulePath, this.route.name)?.batch ?? [];
  }

  /** Another target of the same system, with other options, in the same run. */
  async beside(options: Partial<TargetOptions>): Promise<Deployment> {
    if (this.#lone === undefined) throw new Error(`${this.route.name} was not started`);
    return await this.#lone.beside(this.route, { ...(await this.targetOptions()), ...options });
  }

  /** Ends the target; may be called again. Resolves with the processes that must have ended. */
  async close(): Promise<readonly number[]> {
    this.#closing ??= this.#close();
    return await this.#closing;
  }

  async #close(): Promise<readonly number[]> {
    const lone = this.#lone;
    this.#lone = undefined;
    const processes = lone?.deployment.processes ?? [];
    let ended: readonly number[] = [];
    try {
      await lone?.close();
    } finally {
      ended = await this.#setting.stage.leave(processes);
    }
    return ended;
  }

  /** The target's start options. */
  async targetOptions(): Promise<TargetOptions> {
    const workload = targetWorkload(await workloadNamed(this.#setting.workload));
    return { ...this.options, workload };
  }

  async #provision(): Promise<State> {
    const availability = await this.probe().catch(() => null);
    if (availability?.available === false) {
      const { reason, remedy } = availability;
      return { status: 'unavailable', note: `${this.route.name}: ${reason}; ${remedy}` };
    }
    const workload = await workloadNamed(this.#setting.workload);
    this.#lone = await this.#setting.stage.place.start(this.route, await this.targetOptions());
    const { deployment, directory } = this.#lone;
    const { name } = this.route;
    const { clientModulePath } = this.#setting;
    const target = new RunningTarget({ name, deployment, clientModulePath, directory, workload });
    await applyOne(target);
    return { status: 'ready', target };
  }
}

/** Rejects with the outcome of the first operation if it was not applied. */
async function applyOne(target: RunningTarget): Promise<void> {
  const workload = await target.seed();
  const [first] = writerOf(workload).applied(1);
  const outcome = await target.withSession(workload, async (session) => await executed(session, first));
  if (outcome === null || outcome.kind === 'applied') return;
  const fact = outcome.kind === 'fault' ? `${outcome.code}: ${outcome.message}` : outcome.reason;
  throw new Error(`${target.name}: its first operation was not applied but ${outcome.kind} (${fact})`);
}

async function executed(
  session: DataPlane,
  first: ConformanceCase | undefined,
): Promise<OperationOutcome | null> {
  return first === undefined ? null : await session.execute(first.operation, first.values);
}

/** As the manifest beside the client module says. */
function factorsOf(clientModulePath: string, routeName: string): RouteFactors | undefined {
  let folder = dirname(clientModulePath);
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  const schema = z.object({ fairBench: connectorManifestSchema });
  const { fairBench } = schema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const found = routesOf(fairBench).find(({ system, route }) => `${system}-${route}` === routeName);
  return found?.factors;
}

interface TargetSetting {
  readonly name: string;
  readonly deployment: Deployment;
  readonly clientModulePath: string;
  readonly directory: string;
  readonly workload: LoadedWorkload;
}

/** A running target, with helpers for the tests. */
export class RunningTarget {
  readonly name: string;
  readonly deployment: Deployment;
  readonly clientModulePath: string;
  readonly directory: string;
  readonly workload: LoadedWorkload;
  #tables: ControlPlane | null = null;

  constructor({ name, deployment, clientModulePath, directory, workload }: TargetSetting) {
    this.name = name;
    this.deployment = deployment;
    this.clientModulePath = clientModulePath;
    this.directory = directory;
    this.workload = workload;
  }

  /** The tables, once they were seeded. */
  get tables(): ControlPlane {
    if (this.#tables === null) throw new Error(`${this.name}: seed it first`);
    return this.#tables;
  }

  /** Replaces all rows by seeded ones, as the runner does; seven per table by default. */
  async seed(rows = smallRows): Promise<Workload> {
    const { name, deployment, workload } = this;
    const parameters = smallParameters(workload.description, { rows });
    const seeded = await seed({
      cell: { target: name, parameters },
      workload: workload.description,
      deployment,
      signal: soon(30_000),
    });
    this.#tables = seeded.tables;
    return seeded.workload;
  }

  /** Every row of a table in the order of the keys, read by another connection. */
  async rows({ tables }: Workload, table: number): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for await (const page of this.tables.scan(table, soon())) rows.push(...page);
    const width = tables[table]?.keyColumns ?? 1;
    rows.sort((a, b) => compareKeys(a, b, width));
    const doubled = rows.find((row, index) => compareKeys(row, rows[index + 1] ?? [], width) === 0);
    if (doubled !== undefined && rows.length > 1 && rows.at(-1) !== doubled) {
      throw new Error(`${this.name}: scan gave the row ${doubled.slice(0, width).join(' ')} twice`);
    }
    return rows;
  }

  /** Every table's rows once they no longer change: a closed session's operations may still be running. */
  async settledRows(workload: Workload): Promise<readonly (readonly Row[])[]> {
    let previous = await this.#allRows(workload);
    for (let reading = 0; reading < 20; reading += 1) {
      await sleep(100);
      const next = await this.#allRows(workload);
      if (String(next) === String(previous)) return next;
      previous = next;
    }
    throw new Error(`${this.name}: rows still change 2 s after the last session was closed`);
  }

  async #allRows(workload: Workload): Promise<readonly (readonly Row[])[]> {
    const all: (readonly Row[])[] = [];
    for (const { number } of workload.tables) all.push(await this.rows(workload, number));
    return all;
  }

  async connect(
    workload: Workload,
    { index = 0, depth = 1, endpoint = this.deployment.endpoint, signal = soon() }: ConnectSetting = {},
  ): Promise<DataPlane> {
    const client = await importClient(this.clientModulePath);
    const context = { index, depth, signal, workload: shapeOf(workload) };
    return neverRejecting(this.name, await client.connect(endpoint, context));
  }

  /** Opens sessions, passes them to `use` and always closes them. */
  async withSessions<Result>(
    workload: Workload,
    { count, depth }: { readonly count: number; readonly depth: number },
    use: (sessions: readonly DataPlane[]) => Promise<Result>,
  ): Promise<Result> {
    const sessions: DataPlane[] = [];
    let result: Result;
    try {
      for (let index = 0; index < count; index += 1) {
        sessions.push(await this.connect(workload, { index, depth }));
      }
      result = await use(sessions);
    } catch (error) {
      // An error of `use` says more than a later one of closing.
      await Promise.allSettled(sessions.map((session) => session.close()));
      throw error;
    }
    await Promise.all(sessions.map((session) => session.close()));
    return result;
  }

  async withSession<Result>(
    workload: Workload,
    use: (session: DataPlane) => Promise<Result>,
  ): Promise<Result> {
    return await this.withSessions(workload, { count: 1, depth: 1 }, async ([session]) => {
      if (session === undefined) throw new Error(`${this.name}: no session`);
      return await use(session);
    });
  }
}

/** A session that says so where `execute` rejects: tests would otherwise show the error without the rule. */
function neverRejecting(name: string, session: DataPlane): DataPlane {
  return {
    async execute(operation, values) {
      try {
        return await session.execute(operation, values);
      } catch (cause) {
        throw new Error(
          `${name}: execute rejected with "${messageOf(cause)}"; it never rejects: resolve with a fault, as faultsByCode makes one`,
          { cause },
        );
      }
    },
    ...(session.executeBatch === undefined ? {} : { executeBatch: session.executeBatch.bind(session) }),
    close: async () => await session.close(),
  };
}

interface ConnectSetting {
  readonly index?: number;
  readonly depth?: number;
  readonly endpoint?: Endpoint;
  readonly signal?: AbortSignal;
}

/** Bounds one step of a test. */
export function soon(timeoutMs = 10_000): AbortSignal {
  return AbortSignal.timeout(timeoutMs);
}
