import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from 'vitest';
import type {
  Availability,
  Route,
  Deployment,
  Session,
  TargetOptions,
  Transfer,
  TransferAccess,
} from '@fair-bench/contract';
import { importTransferClient } from '../client-module.ts';
import { transferAccessOf, transferTarget } from '../transfer-target.ts';
import { type LoneTarget, loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';

type Skip = TestContext['skip'];

/** The test that says once what would fail every other: `testStart`. */
const startTest = 'starts, and applies one operation';

type State =
  | { readonly status: 'ready'; readonly target: RunningTarget }
  | { readonly status: 'unavailable'; readonly note: string }
  | { readonly status: 'failed'; readonly error: unknown };

/**
 * One route's target, started once for its whole suite. What went wrong at the start fails one test, which says it; the
 * others are skipped.
 */
export class Fixture {
  readonly route: Route;
  readonly clientModulePath: string;
  readonly options: TargetOptions;
  #lone: LoneTarget | undefined;
  #state: State = { status: 'failed', error: new Error('the suite has not been started') };

  constructor(route: Route, clientModulePath: string, options: Partial<TargetOptions>) {
    this.route = route;
    this.clientModulePath = clientModulePath;
    this.options = { ...loneTargetOptions, workload: transferTarget, ...options };
  }

  async start(): Promise<void> {
    this.#state = await this.#provision().catch((error: unknown) => ({ status: 'failed' as const, error }));
  }

  async probe(): Promise<Availability> {
    return await this.route.probe(this.options);
  }

  /** The target; ends the test as skipped where it is unavailable or did not start. */
  target(skip: Skip): RunningTarget {
    if (this.#state.status === 'unavailable') return skip(this.#state.note);
    if (this.#state.status === 'failed') return skip(`see the test "${startTest}"`);
    return this.#state.target;
  }

  /** Why the target did not start, or did not carry out its first operation; null when it did. */
  startError(skip: Skip): unknown {
    if (this.#state.status === 'failed') return this.#state.error;
    this.target(skip);
    return null;
  }

  /** Ends the target; calling again is harmless. */
  async close(): Promise<void> {
    const lone = this.#lone;
    this.#lone = undefined;
    await lone?.close();
  }

  async #provision(): Promise<State> {
    // A probe that rejects fails its own test; the others go on to what else there is to say.
    const availability = await this.probe().catch(() => null);
    if (availability?.available === false) {
      const { reason, remedy } = availability;
      return { status: 'unavailable', note: `${this.route.name}: ${reason}; ${remedy}` };
    }
    this.#lone = await startLoneTarget(this.route, this.options);
    const { deployment, directory } = this.#lone;
    const { name } = this.route;
    const target = new RunningTarget(name, deployment, this.clientModulePath, directory);
    await applyOne(target);
    return { status: 'ready', target };
  }
}

/** Rejects with what the first operation did instead of being applied. */
async function applyOne(target: RunningTarget): Promise<void> {
  await target.seed(2, 1n);
  const outcome = await target.withSession((session) =>
    session.execute({ source: 0, target: 1, amount: 1n }),
  );
  if (outcome.kind === 'applied') return;
  const fact = outcome.kind === 'fault' ? `${outcome.code}: ${outcome.message}` : outcome.reason;
  throw new Error(`${target.name}: its first operation was not applied but ${outcome.kind} (${fact})`);
}

/** A target that runs, with what the tests ask of it. */
export class RunningTarget {
  readonly name: string;
  readonly deployment: Deployment;
  readonly clientModulePath: string;
  readonly directory: string;

  constructor(name: string, deployment: Deployment, clientModulePath: string, directory: string) {
    this.name = name;
    this.deployment = deployment;
    this.clientModulePath = clientModulePath;
    this.directory = directory;
  }

  get access(): TransferAccess {
    const access = transferAccessOf(this.deployment);
    if (access === undefined) {
      throw new Error(`${this.name}: its deployment lacks workloads.transfer: give it seed and balances`);
    }
    return access;
  }

  async seed(accounts: number, initialBalance: bigint): Promise<void> {
    await this.access.seed({ accounts, initialBalance }, soon());
  }

  /** Every balance in the order of the accounts, as a fresh connection reads them. */
  async balances(): Promise<readonly bigint[]> {
    const balances = new Map<number, bigint>();
    for await (const page of this.access.balances(soon())) {
      for (const [index, id] of page.ids.entries()) {
        if (balances.has(id)) throw new Error(`${this.name}: balances gave account ${id} twice`);
        balances.set(id, page.balances[index] ?? -1n);
      }
    }
    return [...balances].sort(([a], [b]) => a - b).map(([, balance]) => balance);
  }

  /** Balances once they no longer change: what a closed session left behind may still be under way. */
  async settledBalances(): Promise<readonly bigint[]> {
    let previous = await this.balances();
    for (let reading = 0; reading < 20; reading += 1) {
      await sleep(100);
      const next = await this.balances();
      if (next.every((balance, account) => balance === previous[account])) return next;
      previous = next;
    }
    throw new Error(`${this.name}: balances still change 2 s after the last session was closed`);
  }

  async connect(index: number, depth: number): Promise<Session<Transfer>> {
    const connect = await importTransferClient(this.clientModulePath);
    return await connect(this.deployment.endpoint, { index, depth, signal: soon() });
  }

  /** Opens sessions, hands them to `use` and closes them whatever happens. */
  async withSessions<Result>(
    count: number,
    depth: number,
    use: (sessions: readonly Session<Transfer>[]) => Promise<Result>,
  ): Promise<Result> {
    const sessions: Session<Transfer>[] = [];
    let result: Result;
    try {
      for (let index = 0; index < count; index += 1) sessions.push(await this.connect(index, depth));
      result = await use(sessions);
    } catch (error) {
      // What `use` found out says more than what closing after it does.
      await Promise.allSettled(sessions.map((session) => session.close()));
      throw error;
    }
    await Promise.all(sessions.map((session) => session.close()));
    return result;
  }

  async withSession<Result>(use: (session: Session<Transfer>) => Promise<Result>): Promise<Result> {
    return await this.withSessions(1, 1, async ([session]) => {
      if (session === undefined) throw new Error(`${this.name}: no session`);
      return await use(session);
    });
  }
}

/** Bounds one step of a test. */
export function soon(timeoutMs = 10_000): AbortSignal {
  return AbortSignal.timeout(timeoutMs);
}

/** Sends `count` transfers on every session, `depth` of them outstanding, and gives their outcomes. */
export async function pump(
  sessions: readonly Session<Transfer>[],
  { depth, count, next }: { depth: number; count: number; next: (session: number, k: number) => Transfer },
) {
  const outcomes = await Promise.all(
    sessions.flatMap((session, index) =>
      Array.from({ length: depth }, async (_slot, slot) => {
        const seen = [];
        for (let k = slot; k < count; k += depth) seen.push(await session.execute(next(index, k)));
        return seen;
      }),
    ),
  );
  return outcomes.flat();
}
