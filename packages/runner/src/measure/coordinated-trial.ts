import { randomUUID } from 'node:crypto';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type AgentEvent, machineUs } from '@fair-bench/load-agent';
import { Leader, type WarmedUp } from '@fair-bench/load-client';
import type { ClientCommand, Phase, TrialPlan, TrialResult } from '@fair-bench/results';
import type { ObjectStore } from '@nats-io/obj';
import { allowedMs, type TrialEvents } from './load-client-process.ts';
import type { AgentLink, ClockReading } from './agent-link.ts';
import { collectParts, type StoredPart } from './collect-parts.ts';

/**
 * How far in the future an agreed instant is, in addition to the round trips: busy load clients must read the message
 * first.
 */
const leadMs = 300;
const fetchMsMax = 60_000;
/** After a stop, the time that agents have to drain and report. */
const stopGraceMs = 5000;

/** The connection to NATS was lost. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';

  constructor(url: string) {
    super(`NATS at ${url} was lost during the trial; see whether it runs`);
  }
}

interface CoordinatedTrialInput {
  readonly plan: TrialPlan;
  readonly links: readonly AgentLink[];
  readonly store: ObjectStore;
  readonly bucket: string;
  readonly root: string;
  /** Aborted with the reason when an agent is lost, or a `ConnectionLost` when NATS is. */
  readonly lost: AbortSignal;
  readonly onEvent: TrialEvents;
  readonly signal: AbortSignal;
}

/** One agent's part, as it arrives. */
interface Part extends StoredPart {
  readonly link: AgentLink;
  readonly delivery: string;
  /** Its clock less ours. */
  offsetUs: number;
  ready: boolean;
  phase: Phase | null;
  readonly heardUs: Record<Phase, number>;
  progress: Extract<AgentEvent['event'], { type: 'progress' }> | null;
  stored: StoredPart['stored'];
}

/**
 * One trial by several agents: all connect, begin together, end the warm-up by one decision, share one window, and
 * return one result.
 */
export class CoordinatedTrial {
  readonly #input: CoordinatedTrialInput;
  readonly #parts: readonly Part[];
  readonly #failure = new AbortController();
  readonly #leader: Leader;
  #decided: WarmedUp | null = null;
  #wake: () => void = () => {};

  constructor(input: CoordinatedTrialInput) {
    this.#input = input;
    this.#leader = new Leader(input.plan, input.links.length);
    this.#parts = input.links.map((link, place) => {
      const plan = partOf(input.plan, place, input.links.length, input.root);
      return {
        link,
        delivery: randomUUID(),
        plan,
        offsetUs: 0,
        ready: false,
        phase: null,
        heardUs: { warmup: 0, window: 0, drain: 0 },
        progress: null,
        stored: null,
      };
    });
  }

  async run(): Promise<TrialResult> {
    const { lost, signal, plan } = this.#input;
    const fail = (reason: Error): void => {
      this.#failure.abort(reason);
      this.#wake();
    };
    const onLost = (): void => fail(lost.reason);
    const onStop = (): void => {
      void this.#order(() => ({ type: 'stop' })).catch(() => undefined);
      setTimeout(() => fail(new Error('the load agents did not stop in time')), stopGraceMs).unref();
    };
    const unlisten = this.#parts.map((part) =>
      part.link.listen(part.delivery, (event) => this.#hear(part, event, fail), fail),
    );
    const deadline = setTimeout(() => fail(this.#late()), allowedMs(plan) + fetchMsMax);
    lost.addEventListener('abort', onLost, { once: true });
    signal.addEventListener('abort', onStop, { once: true });
    try {
      if (lost.aborted) onLost();
      if (signal.aborted) onStop();
      return await this.#carryOut();
    } finally {
      clearTimeout(deadline);
      lost.removeEventListener('abort', onLost);
      signal.removeEventListener('abort', onStop);
      for (const end of unlisten) end();
      await this.#cancel();
    }
  }

  async #carryOut(): Promise<TrialResult> {
    const { plan } = this.#input;
    await this.#deliver();
    await this.#until(() => this.#parts.every(({ ready }) => ready));
    const before = await this.#readClocks();
    for (const [place, part] of this.#parts.entries()) part.offsetUs = before[place]?.offsetUs ?? 0;
    const ahead = (): number =>
      machineUs() + leadMs * 1000 + 4 * Math.max(...before.map(({ roundTripUs }) => roundTripUs));
    const orderAt = async (command: Extract<ClientCommand, { atUs: number }>): Promise<void> =>
      this.#order((place) => ({ ...command, atUs: command.atUs + (before[place]?.offsetUs ?? 0) }));
    await orderAt({ type: 'go', atUs: ahead() });
    await this.#until(() => this.#decided !== null || this.#input.signal.aborted);
    const windowUs = ahead();
    if (this.#decided !== null) {
      const window = { type: 'window', atUs: windowUs, windowMs: this.#decided.windowMs } as const;
      this.#input.onEvent(window);
      await orderAt(window);
    }
    await this.#until(() => this.#parts.every(({ stored }) => stored !== null));
    const after = await this.#readClocks();
    const { store } = this.#input;
    const fetch = async <T>(work: Promise<T>): Promise<T> => await this.#guarded(work);
    const clocks = { before, after, windowUs };
    const { agents, ...measured } = await collectParts({ plan, store, parts: this.#parts, fetch }, clocks);
    return { ...this.#leader.resultOf(measured), agents };
  }

  /** Each plan is sent once; an agent that does not accept it voids the trial. */
  async #deliver(): Promise<void> {
    const { bucket } = this.#input;
    const deliver = async ({ link, delivery, plan }: Part): Promise<void> =>
      link.ask('plan', { delivery, bucket, plan });
    await this.#guarded(Promise.all(this.#parts.map(deliver)));
  }

  #hear(part: Part, event: AgentEvent['event'], fail: (reason: Error) => void): void {
    switch (event.type) {
      case 'ready':
        part.ready = true;
        if (this.#parts.every(({ ready }) => ready)) {
          this.#input.onEvent({ type: 'ready', sessions: this.#input.plan.sessions });
        }
        break;
      case 'sample':
        this.#decided ??= this.#leader.hear(event, this.#parts.indexOf(part));
        break;
      case 'phase':
        part.phase = event.phase;
        part.heardUs[event.phase] = machineUs();
        if (this.#parts.every(({ phase }) => phase === event.phase)) this.#input.onEvent(event);
        break;
      case 'progress':
        part.progress = event;
        if (part === this.#parts.at(-1)) this.#input.onEvent({ ...event, ...this.#progress() });
        break;
      case 'canary':
        this.#input.onEvent({
          ...event,
          number: event.number * this.#parts.length + this.#parts.indexOf(part),
          atMs: event.atMs - part.offsetUs / 1000,
        });
        break;
      case 'acknowledged':
        this.#input.onEvent({ ...event, atMs: event.atMs - part.offsetUs / 1000 });
        break;
      case 'stored':
        part.stored = event;
        break;
      case 'failed':
        fail(new Error(`load agent ${part.link.name}: ${event.reason}`));
        break;
      case 'result':
        fail(new Error(`load agent ${part.link.name}: it sent a result instead of storing it`));
        break;
      default:
        event satisfies never;
    }
    this.#wake();
  }

  #progress(): { applied: number; declined: number; faults: number } {
    const sum = { applied: 0, declined: 0, faults: 0 };
    for (const { progress } of this.#parts) {
      sum.applied += progress?.applied ?? 0;
      sum.declined += progress?.declined ?? 0;
      sum.faults += progress?.faults ?? 0;
    }
    return sum;
  }

  async #readClocks(): Promise<readonly ClockReading[]> {
    return await this.#guarded(Promise.all(this.#parts.map(async ({ link }) => link.readClock())));
  }

  async #order(commandOf: (place: number) => unknown): Promise<void> {
    const orders = this.#parts.map(async ({ link, delivery }, place) =>
      link.ask('order', { delivery, command: commandOf(place) }),
    );
    await this.#guarded(Promise.all(orders));
  }

  /** Ends the load clients that still work, and removes what they stored. */
  async #cancel(): Promise<void> {
    const { store, lost } = this.#input;
    if (lost.aborted && lost.reason instanceof ConnectionLost) return;
    await Promise.all(
      this.#parts.map(async ({ link, delivery, stored }) => {
        if (link.lost.aborted) return;
        if (stored === null) {
          await link.ask('order', { delivery, command: { type: 'cancel' } }).catch(() => undefined);
          return;
        }
        for (const name of [stored.result, stored.log])
          if (name !== null) await store.delete(name).catch(() => undefined);
      }),
    );
  }

  #late(): Error {
    const { timing } = this.#input.plan;
    const late = this.#parts.filter(({ stored }) => stored === null).map(({ link }) => link.name);
    return new Error(
      `load agents: no result of ${late.join(', ')} within ${allowedMs(this.#input.plan)} ms (window ${timing.windowMs} to ${timing.windowMsMax} ms)`,
    );
  }

  /** Until something that was heard makes it true; rejects when the trial has failed. */
  async #until(isTrue: () => boolean): Promise<void> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#failure.signal.throwIfAborted();
      if (isTrue()) return;
      await Promise.race([woken, sleep(1000)]);
    }
  }

  async #guarded<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#failure;
    return await new Promise<T>((resolve, reject) => {
      const failed = (): void => reject(signal.reason);
      if (signal.aborted) failed();
      signal.addEventListener('abort', failed, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', failed));
    });
  }
}

/** The plan of one of `count` agents. Its Node client's module is named from the repository's root, as agents know it. */
function partOf(plan: TrialPlan, place: number, count: number, root: string): TrialPlan {
  if (plan.sessions < count)
    throw new Error(`load agents: ${plan.sessions} sessions are fewer than ${count} agents`);
  const firstOf = (number: number): number => Math.floor((plan.sessions * number) / count);
  const sessionFirst = firstOf(place);
  const sessionCount = firstOf(place + 1) - sessionFirst;
  const client: TrialPlan['client'] =
    plan.client.kind === 'native'
      ? plan.client
      : { kind: 'node', module: relative(root, fileURLToPath(plan.client.module)) };
  const { watched } = plan;
  const isOwn = ([session]: readonly [number, ...number[]]): boolean =>
    session >= sessionFirst && session < sessionFirst + sessionCount;
  return {
    ...plan,
    ...(watched === undefined
      ? {}
      : { watched: { everyMs: watched.everyMs * count, operations: watched.operations.filter(isOwn) } }),
    client,
    share: { sessionFirst, sessionCount },
    threads: Math.min(plan.threads, sessionCount),
    // Every `count`-th for each: what lies between it and the target may lie as well.
    canaries: plan.canaries.filter((_, number) => number % count === place),
  };
}
