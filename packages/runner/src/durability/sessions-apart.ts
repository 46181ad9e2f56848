import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  type BatchedOperation,
  type ClientModule,
  type DataPlane,
  inDoubt,
  type OperationOutcome,
} from '@fair-bench/contract';
import { killTrees } from './kill-trees.ts';
import { answerSchema, type Request, type Result } from './sessions-apart-messages.ts';

const mainPath = fileURLToPath(new URL('./sessions-apart-main.ts', import.meta.url));

/**
 * Sessions in a process of their own, which can be killed with the engine that is in it. What it acknowledged is known here
 * a moment later, so that everything that counts as acknowledged was.
 */
export class SessionsApart implements AsyncDisposable {
  readonly client: ClientModule = { connect: async (...context) => await this.#connect(...context) };
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (answer: Result) => void>();
  readonly #ended: Promise<unknown>;
  #calls = 0;

  constructor(clientModulePath: string) {
    this.#process = fork(mainPath, [clientModulePath], { serialization: 'advanced', execArgv: [] });
    this.#ended = once(this.#process, 'exit');
    this.#process.on('exit', () => {
      for (const settle of this.#waiting.values()) settle({ kind: 'lost' });
      this.#waiting.clear();
    });
    this.#process.on('message', (message) => {
      const { call, result } = answerSchema.parse(message);
      this.#waiting.get(call)?.(result);
      this.#waiting.delete(call);
    });
  }

  /** Sends SIGKILL to it and to a process of its own that has the engine; resolves when they are gone. */
  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#process;
    if (pid !== undefined && exitCode === null && signalCode === null) await killTrees([pid]);
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #connect(
    endpoint: Parameters<ClientModule['connect']>[0],
    { index, depth, workload }: Parameters<ClientModule['connect']>[1],
  ): Promise<DataPlane> {
    const connected = await this.#ask({ kind: 'connect', endpoint, context: { index, depth, workload } });
    if (connected.kind === 'failed') throw new Error(connected.reason);
    const executeBatch = async (operations: readonly BatchedOperation[]): Promise<OperationOutcome[]> =>
      outcomesOf(await this.#ask({ kind: 'execute', index, operations: [...operations] }), operations.length);
    return {
      async execute(operation, values) {
        const [outcome] = await executeBatch([{ operation, values }]);
        return outcome ?? lost;
      },
      executeBatch,
      close: async () => void (await this.#ask({ kind: 'close', index })),
    };
  }

  async #ask(request: Request): Promise<Result> {
    if (!this.#process.connected) return { kind: 'lost' };
    const call = (this.#calls += 1);
    const { promise, resolve } = Promise.withResolvers<Result>();
    this.#waiting.set(call, resolve);
    this.#process.send({ call, request }, () => undefined);
    return await promise;
  }
}

const lost = inDoubt('connection-lost', 'the process of the session was killed');

function outcomesOf(result: Result, count: number): OperationOutcome[] {
  if (result.kind === 'failed') throw new Error(`the process of the sessions: ${result.reason}`);
  return result.kind === 'outcomes' ? result.outcomes : Array.from({ length: count }, () => lost);
}
