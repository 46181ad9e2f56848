import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BatchedOperation,
  type DataPlane,
  isRetryable,
  refused,
  retriesMax,
  retryDelayMs,
  type Fault,
  type OperationOutcome,
  type Values,
  messageOf,
} from '@fair-bench/contract';

/** One connection of a system's own client. It is never reopened. */
export interface Connection {
  /** False once it is lost, or was ended. */
  readonly usable: boolean;
  /** Sends one operation at once. Never rejects, and never sends it again. */
  execute(operation: number, values: Values): Promise<OperationOutcome>;
  /** Sends these as one request; only of a system that can, on each of its connections. Never rejects. */
  executeBatch?(operations: readonly BatchedOperation[]): Promise<readonly OperationOutcome[]>;
  /** Settles outstanding operations as faults in doubt. Resolves when no handle is left; may be called again. */
  end(): Promise<void>;
}

export interface ReconnectingSession<Live extends Connection> extends DataPlane {
  /** The present connection, or a new one if it was lost. Rejects when none can be opened. */
  connection(): Promise<Live>;
}

interface Options<Live> {
  /** Opens one connection. Rejects when that fails, and when `signal` aborts. */
  open(signal: AbortSignal): Promise<Live>;
  /** Bounds the first connection. */
  readonly signal: AbortSignal;
  /** 0 where the other end has sent it again itself; the policy's number by default. */
  readonly retriesMax?: number;
  /** The fault of an operation without a connection; `connection-refused` by default. */
  readonly faultOfOpening?: (error: unknown) => Fault;
}

const reconnectMsMax = 5_000;

/**
 * A session on one connection; after a loss the next call opens another. Operations outstanding on a lost connection
 * are not sent again. One that the server has certainly undone, as the victim of a deadlock, is, by the policy of application
 * servers. Rejects when the first connection cannot be opened.
 */
export async function reconnectingSession<Live extends Connection>(
  options: Options<Live>,
): Promise<ReconnectingSession<Live>> {
  const session = new OneConnectionSession<Live>(options);
  await session.connect(options.signal);
  return session;
}

class OneConnectionSession<Live extends Connection> implements ReconnectingSession<Live> {
  readonly #options: Options<Live>;
  readonly #retriesMax: number;
  #live: Live | undefined;
  #connecting: Promise<Live> | undefined;
  /** Connections that were lost, until their last handle is gone. */
  readonly #ending = new Set<Promise<void>>();
  #closed = false;
  /** Of a system whose first connection has it. */
  executeBatch?: NonNullable<DataPlane['executeBatch']>;

  constructor(options: Options<Live>) {
    this.#options = options;
    this.#retriesMax = options.retriesMax ?? retriesMax;
  }

  /** Without a connection, it is a fault. */
  execute(operation: number, values: Values): Promise<OperationOutcome> {
    const live = this.#live;
    const first =
      live?.usable === true ? live.execute(operation, values) : this.#executeAnew(operation, values);
    if (this.#retriesMax === 0) return first;
    return first.then((outcome) =>
      isRetryable(outcome) ? this.#sendAgain(operation, values, outcome) : outcome,
    );
  }

  async #sendAgain(operation: number, values: Values, first: OperationOutcome): Promise<OperationOutcome> {
    let outcome = first;
    for (let retries = 1; retries <= this.#retriesMax && isRetryable(outcome); retries += 1) {
      await sleep(retryDelayMs(retries));
      outcome = { ...(await this.#executeAnew(operation, values)), retries };
    }
    return outcome;
  }

  async connection(): Promise<Live> {
    const live = this.#live;
    return live?.usable === true ? live : await this.connect(AbortSignal.timeout(reconnectMsMax));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connecting?.catch(() => undefined);
    this.#drop();
    await Promise.all(this.#ending);
  }

  /** All callers share one attempt. */
  async connect(signal: AbortSignal): Promise<Live> {
    return await (this.#connecting ??= this.#open(signal).finally(() => {
      this.#connecting = undefined;
    }));
  }

  async #open(signal: AbortSignal): Promise<Live> {
    signal.throwIfAborted();
    this.#drop();
    const live = await this.#options.open(signal);
    if (live.executeBatch !== undefined) {
      this.executeBatch ??= async (operations) => await this.#executeBatch(operations);
    }
    return (this.#live = live);
  }

  async #executeAnew(operation: number, values: Values): Promise<OperationOutcome> {
    const opened = await this.#opened();
    return 'live' in opened ? await opened.live.execute(operation, values) : opened.fault;
  }

  async #executeBatch(operations: readonly BatchedOperation[]): Promise<readonly OperationOutcome[]> {
    const opened = await this.#opened();
    if ('fault' in opened) return operations.map(() => opened.fault);
    for (let retries = 0; ; retries += 1) {
      const outcomes = (await opened.live.executeBatch?.(operations)) ?? [];
      const [first, ...others] = outcomes;
      if (first === undefined) return outcomes;
      if (retries >= this.#retriesMax || !isRetryable(first)) {
        // A batch that was sent again is one retry each time, whatever the number of its operations.
        return retries === 0 ? outcomes : [{ ...first, retries }, ...others];
      }
      await sleep(retryDelayMs(retries + 1));
    }
  }

  async #opened(): Promise<{ readonly live: Live } | { readonly fault: Fault }> {
    if (this.#closed) return { fault: refused('connection-refused', 'the session is closed') };
    try {
      return { live: await this.connection() };
    } catch (error) {
      const { faultOfOpening } = this.#options;
      return { fault: faultOfOpening?.(error) ?? refused('connection-refused', messageOf(error)) };
    }
  }

  #drop(): void {
    const live = this.#live;
    this.#live = undefined;
    if (live === undefined) return;
    const ended = live.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}
