import type { ClientConfig } from 'pg';
import type { OperationOutcome, Values } from '@fair-bench/contract';
import type { Prepared } from './calls.ts';
import { connectPrepared, type PreparedSession } from './prepared-session.ts';
import type { Settings } from './settings.ts';

/** Connections with the prepared operations, for an application server. */
export class PreparedPool {
  readonly #sessions: readonly PreparedSession[];
  readonly #idle: PreparedSession[];
  readonly #waiting: ((session: PreparedSession) => void)[] = [];

  private constructor(sessions: readonly PreparedSession[]) {
    this.#sessions = sessions;
    this.#idle = [...sessions];
  }

  /** Opens a pool of `size` connections, all of them at once. Rejects when one fails. */
  static async open(
    config: ClientConfig,
    prepared: Prepared,
    size: number,
    signal: AbortSignal,
  ): Promise<PreparedPool> {
    const opened = await Promise.allSettled(
      Array.from({ length: size }, async () => await connectPrepared(config, prepared, signal)),
    );
    const sessions = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const pool = new PreparedPool(sessions);
    const failure = opened.find((result) => result.status === 'rejected');
    if (failure === undefined) return pool;
    await pool.close();
    throw failure.reason;
  }

  /** Runs an operation on its own connection; waits for one, in order, while all are in use. Never rejects. */
  async execute(operation: number, values: Values): Promise<OperationOutcome> {
    const session = this.#idle.pop() ?? (await this.#nextFree());
    const outcome = await session.execute(operation, values);
    this.#release(session);
    return outcome;
  }

  /** The settings in force in one of the pool's sessions. */
  async settings(): Promise<Settings> {
    const session = this.#idle.pop() ?? (await this.#nextFree());
    try {
      return await (await session.connection()).settings();
    } finally {
      this.#release(session);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map(async (session) => await session.close()));
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
