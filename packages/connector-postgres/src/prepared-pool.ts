import type { ClientConfig } from 'pg';
import type { OperationOutcome } from '@fair-bench/contract';
import type { Prepared } from './calls.ts';
import { connectPrepared, type OperationCall, type PreparedSession } from './prepared-session.ts';
import type { Settings } from './settings.ts';

/** Connections with the prepared operations, for an application server. */
export interface PreparedPool {
  /** Runs an operation on its own connection; waits for one, in order, while all are in use. Never rejects. */
  execute(call: OperationCall): Promise<OperationOutcome>;
  /** The settings in force in one of the pool's sessions. */
  settings(): Promise<Settings>;
  /** Ends every connection once it is free, and reopens it: then its statistics are complete. */
  recycle(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a pool of `size` connections, all of them at once. Rejects when one fails. */
export async function createPreparedPool(
  config: ClientConfig,
  prepared: Prepared,
  size: number,
  signal: AbortSignal,
): Promise<PreparedPool> {
  const opened = await Promise.allSettled(
    Array.from({ length: size }, async () => await connectPrepared(config, prepared, signal)),
  );
  const sessions = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failure = opened.find((result) => result.status === 'rejected');
  if (failure !== undefined) {
    await Promise.all(sessions.map(async (session) => await session.close()));
    throw failure.reason;
  }
  return new SessionPool(sessions);
}

class SessionPool implements PreparedPool {
  readonly #sessions: readonly PreparedSession[];
  readonly #idle: PreparedSession[];
  readonly #waiting: ((session: PreparedSession) => void)[] = [];

  constructor(sessions: readonly PreparedSession[]) {
    this.#sessions = sessions;
    this.#idle = [...sessions];
  }

  async execute(call: OperationCall): Promise<OperationOutcome> {
    const session = this.#idle.pop() ?? (await this.#nextFree());
    const outcome = await session.execute(call);
    this.#release(session);
    return outcome;
  }

  async settings(): Promise<Settings> {
    return await this.#with(async (session) => await (await session.connection()).settings());
  }

  async recycle(): Promise<void> {
    // As many takers as sessions, and none returns its session before all have one: so each session is used once.
    const taken = await Promise.all(this.#sessions.map(async () => await this.#take()));
    const results = await Promise.allSettled(taken.map(async (session) => await session.reopen()));
    for (const session of taken) this.#release(session);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map(async (session) => await session.close()));
  }

  async #with<Result>(use: (session: PreparedSession) => Promise<Result>): Promise<Result> {
    const session = await this.#take();
    try {
      return await use(session);
    } finally {
      this.#release(session);
    }
  }

  async #take(): Promise<PreparedSession> {
    return this.#idle.pop() ?? (await this.#nextFree());
  }

  async #nextFree(): Promise<PreparedSession> {
    return await new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #release(session: PreparedSession): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(session);
    else next(session);
  }
}
