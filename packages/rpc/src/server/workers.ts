import { InputError, messageOf } from '@fair-bench/contract';
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connectionMessage, workerMessageSchema, type Ask, type WorkerMessage } from './ipc.ts';

type Answer = Extract<WorkerMessage, { answer: unknown }>['answer'];

interface Pending {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

const answerMsMax = 30_000;

/** The server's worker processes, as the primary uses them. */
export class Workers {
  readonly #workers: readonly Worker[];
  readonly #pending = new Map<number, Pending>();
  // Without a delay a reply would wait until the one before it on the connection is acknowledged: 40 ms.
  readonly #listener = createServer({ pauseOnConnect: true, noDelay: true });
  #lastId = 0;
  #stopping = false;

  private constructor(workers: readonly Worker[]) {
    this.#workers = workers;
  }

  /**
   * Forks the workers, each with so many threads for its engine; null for Node's own number. Resolves when all accept
   * connections. `lost` is called when one ends unexpectedly: its counts are gone, so the server cannot continue.
   */
  static async fork(
    processes: number,
    threads: number | null,
    lost: (reason: string) => void,
  ): Promise<Workers> {
    const environment = threads === null ? {} : { UV_THREADPOOL_SIZE: String(threads) };
    const forked = Array.from({ length: processes }, () => cluster.fork(environment));
    const workers = new Workers(forked);
    await Promise.all(forked.map((worker) => workers.#ready(worker)));
    for (const worker of forked) {
      worker.on('exit', (code, signal) => {
        if (!workers.#stopping)
          lost(`process ${worker.process.pid} ended (${signal ?? `exit code ${code}`})`);
      });
    }
    return workers;
  }

  /**
   * Accepts connections and passes them to the processes strictly in turn: `node:cluster` gives the next one to any
   * free process, and the kernel (SO_REUSEPORT) uses a hash; neither is even.
   */
  async listen(host: string, port: number): Promise<number> {
    let turn = 0;
    this.#listener.on('connection', (socket) => {
      this.#workers[turn % this.#workers.length]?.send(connectionMessage, socket);
      turn += 1;
    });
    this.#listener.listen({ host, port, backlog: 4096 });
    await once(this.#listener, 'listening');
    const address = this.#listener.address();
    if (address === null || typeof address === 'string') throw new Error('the data port has no number');
    return address.port;
  }

  #ready(worker: Worker): Promise<void> {
    return new Promise((resolve, reject) => {
      worker.once('exit', (code, signal) =>
        reject(new Error(`a process ended before it was ready (${signal ?? `exit code ${code}`})`)),
      );
      worker.on('message', (message: unknown) => {
        const parsed = workerMessageSchema.parse(message);
        if ('ready' in parsed) resolve();
        else if ('failed' in parsed)
          reject(parsed.isInput ? new InputError(parsed.failed) : new Error(parsed.failed));
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

  /** Sends every process the same question; resolves with every answer, in the order of the processes. */
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

  /** Stops every process cleanly within `timeoutMs`, afterwards by force. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping = true;
    this.#listener.close();
    try {
      await this.ask({ ask: 'stop' }, timeoutMs);
    } catch (error) {
      process.stderr.write(`stop: ${messageOf(error)}\n`);
    }
    for (const worker of this.#workers) worker.process.kill('SIGKILL');
  }
}
