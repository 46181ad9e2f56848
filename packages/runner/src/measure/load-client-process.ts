import { ClientProcess, Leader, leadAlone, type LoadClientCommand } from '@fair-bench/load-client';
import type { TrialPlan, TrialResult } from '@fair-bench/results';
import type { TrialEvent } from '../probes/trial-probe.ts';

/** The time that a load client has beyond its plan to connect, encode and exit. */
const graceMs = 15_000;
/** After a stop, the time that it has to drain and report before it is killed. */
const stopGraceMs = 2_500;

/** The load clients of one trial, here or elsewhere: started, and waiting for the plan. */
export interface ReadyClient extends AsyncDisposable {
  /** The load client's process, if it is on this machine. */
  readonly pid?: number | undefined;
  /**
   * @param signal of an interruption: the client has 2.5 s to drain and report.
   * @param enough ends the window in good order: the client drains as long as its plan says.
   */
  run(plan: TrialPlan, onEvent: TrialEvents, signal: AbortSignal, enough?: AbortSignal): Promise<TrialResult>;
}

/**
 * Starts the load clients of a trial. Starting a process takes as long as filling a table, so both happen at the same
 * time.
 */
export type LoadClientSource = () => ReadyClient;

export type TrialEvents = (event: TrialEvent) => void;

/** By one load client, a process of this machine. */
export function onThisMachine(client: LoadClientCommand): LoadClientSource {
  return () => new LoadClientProcess(client);
}

/** The load clients of a run on this machine. The next one may start before its trial. */
export class LoadProcesses implements AsyncDisposable {
  #next: { readonly key: string; readonly process: LoadClientProcess } | null = null;

  /** Takes the load client that was started for such a trial, if it still runs; otherwise starts one. */
  source(client: LoadClientCommand): LoadClientSource {
    return () => {
      const next = this.#next;
      this.#next = null;
      if (next?.key === JSON.stringify(client) && next.process.isAlive) return next.process;
      void next?.process[Symbol.asyncDispose]();
      return new LoadClientProcess(client);
    };
  }

  /**
   * Starts the load client of the next trial: once nothing is timed any more, and before the audit. Never throws into
   * the trial that has just been measured: a failure is the next trial's, which starts its own.
   */
  startNext(client: LoadClientCommand): void {
    try {
      this.#next ??= { key: JSON.stringify(client), process: new LoadClientProcess(client) };
    } catch {
      // Out of processes or files, for example; its own trial tries again and reports the error.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#next?.process[Symbol.asyncDispose]();
  }
}

const never = new AbortController().signal;

class LoadClientProcess implements ReadyClient {
  readonly #process: ClientProcess;

  constructor(client: LoadClientCommand) {
    this.#process = new ClientProcess(client);
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /**
   * Sends the plan, leads the trial, forwards its events and resolves with its result. When the signal aborts, it
   * stops, and the result covers a shorter window. Rejects with the reason when there is no result.
   */
  async run(
    plan: TrialPlan,
    onEvent: TrialEvents,
    signal: AbortSignal,
    enough: AbortSignal = never,
  ): Promise<TrialResult> {
    const client = this.#process;
    const kill = (): void => client.kill();
    const deadline = setTimeout(kill, allowedMs(plan));
    let stopDeadline: NodeJS.Timeout | undefined;
    const stop = (): void => {
      client.send({ type: 'stop' });
      stopDeadline = setTimeout(kill, stopGraceMs);
    };
    // A second stop does nothing: an interruption may follow.
    const end = (): void => client.send({ type: 'stop' });
    signal.addEventListener('abort', stop, { once: true });
    enough.addEventListener('abort', end, { once: true });
    const leader = new Leader(plan);
    const answer = leadAlone(leader, (order) => {
      client.send(order);
      if (order.type === 'window') onEvent(order);
    });
    try {
      client.send({ type: 'plan', plan });
      if (signal.aborted) stop();
      let failure: string | null = null;
      for await (const event of client.events()) {
        if (event.type === 'result') return leader.resultOf(event.result);
        if (event.type === 'failed') failure = event.reason;
        else onEvent(event);
        answer(event);
      }
      client.release();
      const ending = await client.closed;
      const said = client.saidLast === '' ? '' : `: ${client.saidLast}`;
      throw new Error(`load client: ${failure ?? `${ending}${said}`}`);
    } finally {
      signal.removeEventListener('abort', stop);
      enough.removeEventListener('abort', end);
      clearTimeout(deadline);
      clearTimeout(stopDeadline);
    }
  }

  /** The process is gone when this settles. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill();
    await this.#process.closed;
  }
}

/** After this long a trial can no longer have a result. */
export function allowedMs({ timing }: Pick<TrialPlan, 'timing'>): number {
  return timing.connectMs + timing.warmupMsMax + timing.windowMsMax + timing.drainMs + graceMs;
}
