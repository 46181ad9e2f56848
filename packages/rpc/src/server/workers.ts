import cluster, { type Worker } from 'node:cluster';
import { workerMessageSchema, type Ask, type WorkerMessage } from './ipc.ts';

type Answer = Extract<WorkerMessage, { answer: unknown }>['answer'];

interface Pending {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

const answerMsMax = 30_000;

/** The server's worker processes, as the primary sees them. */
export class Workers {
  readonly #workers: readonly Worker[];
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #stopping = false;

  private constructor(workers: readonly Worker[]) {
    this.#workers = workers;
  }

  /**
   * Forks the workers and resolves, with the port that they share, when all listen. `lost` is called when
   * one ends later without having been told to: what it had counted is gone, so the server cannot go on.
   */
  static async fork(
    processes: number,
    lost: (reason: string) => void,
  ): Promise<{ workers: Workers; port: number }> {
    // Round robin: the primary deals connections out evenly; the kernel's choice by hash would not.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    const forked = Array.from({ length: processes }, () => cluster.fork());
    const workers = new Workers(forked);
    const ports = await Promise.all(forked.map((worker) => workers.#listening(worker)));
    for (const worker of forked) {
      worker.on('exit', (code, signal) => {
        if (!workers.#stopping)
          lost(`process ${worker.process.pid} ended (${signal ?? `exit code ${code}`})`);
      });
    }
    return { workers, port: ports[0] ?? 0 };
  }

  #listening(worker: Worker): Promise<number> {
    return new Promise((resolve, reject) => {
      worker.once('exit', (code, signal) =>
        reject(new Error(`a process ended before it listened (${signal ?? `exit code ${code}`})`)),
      );
      worker.on('message', (message: unknown) => {
        const parsed = workerMessageSchema.parse(message);
        if ('listening' in parsed) resolve(parsed.listening);
        else if ('failed' in parsed) reject(new Error(parsed.failed));
        else this.#settle(parsed);
      });
    });
  }

  #settle(message: Extract<WorkerMessage, { id: number }>): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ('error' in message) pending?.reject(new Error(message.error));
    else pending?.resolve(message.answer);
  }

  /** Asks every process the same and resolves with every answer, in the order of the processes. */
  async ask(question: Ask, timeoutMs = answerMsMax): Promise<Answer[]> {
    return Promise.all(this.#workers.map((worker) => this.#askOne(worker, question, timeoutMs)));
  }

  #askOne(worker: Worker, question: Ask, timeoutMs: number): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(
          new Error(`process ${worker.process.pid} did not answer "${question.ask}" in ${timeoutMs} ms`),
        );
      }, timeoutMs);
      this.#pending.set(id, {
        resolve: (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      worker.send({ ...question, id }, (error: Error | null) => {
        if (error !== null) this.#settle({ id, error: `process ${worker.process.pid}: ${error.message}` });
      });
    });
  }

  /** Stops every process in good order within `timeoutMs`, by force after it. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping = true;
    try {
      await this.ask({ ask: 'stop' }, timeoutMs);
    } catch (error) {
      process.stderr.write(`stop: ${error instanceof Error ? error.message : String(error)}\n`);
    }
    for (const worker of this.#workers) worker.process.kill('SIGKILL');
  }
}
