import { fileURLToPath } from 'node:url';
import {
  type BatchedOperation,
  type ClientModule,
  type DataPlane,
  jsonObjectSchema,
  type OperationOutcome,
  refused,
  requestedDurabilitySchema,
  type Values,
} from '@fair-bench/contract';
import { workloadWithDefaults } from '@fair-bench/workload/execution';
import { z } from 'zod';
import { Executor } from './executor.ts';
import { type EngineInUse, useEngine } from './opened.ts';
import type { EngineSystem } from './system.ts';
import { Turns } from './turns.ts';

const optionsSchema = z.strictObject({
  description: jsonObjectSchema,
  durability: requestedDurabilitySchema,
  cacheMb: z.number(),
});

/** The data plane of a route of `engineRoute`: the engine runs in the load client; its module's default export. */
export function engineClient(system: EngineSystem): ClientModule {
  return {
    async connect({ url, options }, { signal, workload }) {
      signal.throwIfAborted();
      const { description, ...opened } = optionsSchema.parse(options);
      const inUse = await useEngine(system, fileURLToPath(url), opened);
      const writes = workload.operations.map((operation) => operation.writes);
      return new EngineSession(
        inUse,
        new Executor(workloadWithDefaults(description, system.name), inUse.engine),
        writes,
      );
    },
  };
}

const closed = refused('connection-refused', 'the session is closed');

/** Of all sessions of this thread. */
const turns = new Turns();

class EngineSession implements DataPlane {
  readonly #inUse: EngineInUse;
  readonly #executor: Executor;
  readonly #writes: readonly boolean[];
  #closed: Promise<void> | null = null;
  /** Operations whose commit is under way, in engines that commit elsewhere. */
  readonly #outstanding = new Set<Promise<unknown>>();

  constructor(inUse: EngineInUse, executor: Executor, writes: readonly boolean[]) {
    this.#inUse = inUse;
    this.#executor = executor;
    this.#writes = writes;
  }

  get openMs(): number {
    return this.#inUse.openMs;
  }

  execute(operation: number, values: Values): Promise<OperationOutcome> {
    const { due } = turns;
    if (due !== null) return due.then(() => this.execute(operation, values));
    if (this.#closed !== null) return Promise.resolve(closed);
    const outcome = this.#passed(operation, this.#executor.execute(operation, values));
    return outcome instanceof Promise ? outcome : Promise.resolve(outcome);
  }

  executeNow(operation: number, values: Values): OperationOutcome | Promise<OperationOutcome> {
    const { due } = turns;
    // Another's operation may come between the end of the wait and who takes the outcome: it is copied.
    if (due !== null) return due.then(() => this.execute(operation, values));
    if (this.#closed !== null) return closed;
    return this.#passed(operation, this.#executor.executeNow(operation, values));
  }

  executeBatch(operations: readonly BatchedOperation[]): Promise<readonly OperationOutcome[]> {
    const { due } = turns;
    if (due !== null) return due.then(() => this.executeBatch(operations));
    if (this.#closed !== null) return Promise.resolve(operations.map(() => closed));
    const outcomes = this.#executor.executeBatch(operations);
    // Longer than one operation.
    turns.passed(true);
    return outcomes instanceof Promise ? this.#noted(outcomes) : Promise.resolve(outcomes);
  }

  async close(): Promise<void> {
    this.#closed ??= this.#end();
    await this.#closed;
  }

  async #end(): Promise<void> {
    await Promise.allSettled(this.#outstanding);
    await this.#inUse[Symbol.asyncDispose]();
  }

  #passed(
    operation: number,
    outcome: OperationOutcome | Promise<OperationOutcome>,
  ): OperationOutcome | Promise<OperationOutcome> {
    turns.passed(this.#writes[operation] === true);
    return outcome instanceof Promise ? this.#noted(outcome) : outcome;
  }

  #noted<Outcome>(outcome: Promise<Outcome>): Promise<Outcome> {
    this.#outstanding.add(outcome);
    void outcome.then(() => this.#outstanding.delete(outcome));
    return outcome;
  }
}
