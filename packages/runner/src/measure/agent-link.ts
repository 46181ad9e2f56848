import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@fair-bench/contract';
import {
  agentEventSchema,
  type AgentEvent,
  type Announcement,
  type Answer,
  answerSchema,
  bootOfMachine,
  clockReplySchema,
  decode,
  encode,
  isUnheard,
  machineUs,
  subjects,
  type Verb,
} from '@fair-bench/load-agent';
import type { LoadMachine } from '@fair-bench/results';
import type { NatsConnection } from '@nats-io/transport-node';

const pingEveryMs = 500;
const pingMsMax = 2000;
/** An agent that is silent for this long is lost. */
const silenceMsMax = 5000;
const requestMsMax = 5000;
const clockReadings = 16;

/** An agent's clock against ours: the reading with the shortest round trip. */
export interface ClockReading {
  /** Theirs less ours, microseconds. */
  readonly offsetUs: number;
  readonly roundTripUs: number;
}

/** One agent of this run; its heartbeat is checked continuously. */
export class AgentLink {
  /** Aborted with the reason when the agent is lost. */
  readonly lost: AbortSignal;
  readonly #nats: NatsConnection;
  readonly #run: string;
  readonly #announcement: Announcement;
  readonly #loss = new AbortController();
  readonly #released = new AbortController();
  #isSilent = false;

  private constructor(nats: NatsConnection, run: string, announcement: Announcement) {
    this.#nats = nats;
    this.#run = run;
    this.#announcement = announcement;
    this.lost = this.#loss.signal;
  }

  /** Rejects when it belongs to another run. */
  static async claim(nats: NatsConnection, run: string, announcement: Announcement): Promise<AgentLink> {
    const link = new AgentLink(nats, run, announcement);
    await link.#request(subjects.claim(announcement.instance), { run });
    void link.#watch();
    return link;
  }

  get name(): string {
    return this.#announcement.name;
  }

  /** Whether it was lost without a sign that it has ended: its load client may still be at work. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  get instance(): string {
    return this.#announcement.instance;
  }

  get machine(): LoadMachine {
    const { name, host, cores, memoryBytes, runtime, version, builds } = this.#announcement;
    return { name, host, cores, memoryBytes, runtime, version, builds };
  }

  /** Its process on the runner's own machine; null when it is on another. */
  get pidHere(): number | null {
    const { boot, pid } = this.#announcement;
    return boot === bootOfMachine() ? pid : null;
  }

  /** Rejects with the agent's reason when it refuses, or when it does not answer. */
  async ask(verb: 'plan' | 'order', message: unknown): Promise<void> {
    await this.#request(this.#subject(verb), message);
  }

  async readClock(): Promise<ClockReading> {
    let best: ClockReading | null = null;
    for (let reading = 0; reading < clockReadings; reading += 1) {
      const clock = await this.#ping();
      if (best === null || clock.roundTripUs < best.roundTripUs) best = clock;
    }
    if (best === null) throw this.#error('its clock was not read');
    return best;
  }

  /** Receives the messages of a delivery's load client in order. Returns a function that ends it. */
  listen(
    delivery: string,
    onEvent: (event: AgentEvent['event']) => void,
    onMistake: (error: Error) => void,
  ): () => void {
    let next = 0;
    const subscription = this.#nats.subscribe(this.#subject('event'), {
      callback: (_error, message) => {
        try {
          const { delivery: of, number, event } = decode(agentEventSchema, message);
          if (of !== delivery) return;
          if (number < next) throw new Error(`message ${number} of its load client came twice`);
          if (number > next) throw new Error(`message ${next} of its load client was lost`);
          next += 1;
          onEvent(event);
        } catch (error) {
          onMistake(this.#error(messageOf(error)));
        }
      },
    });
    return () => subscription.unsubscribe();
  }

  async release(): Promise<void> {
    this.#released.abort();
    if (this.lost.aborted && !this.#isSilent) return;
    // An agent that does not hear of it frees itself when nobody asks for it any more.
    await this.#request(this.#subject('release'), {}).catch(() => undefined);
  }

  async #request(subject: string, message: unknown): Promise<void> {
    let answer: Answer;
    try {
      answer = decode(
        answerSchema,
        await this.#nats.request(subject, encode(message), { timeout: requestMsMax }),
      );
    } catch (cause) {
      throw this.#error(`it does not answer: ${messageOf(cause)}`, cause);
    }
    if (!answer.accepted) throw this.#error(answer.reason);
  }

  async #ping(): Promise<ClockReading> {
    const sentUs = machineUs();
    const reply = await this.#nats.request(this.#subject('ping'), '', { timeout: pingMsMax });
    const heardUs = machineUs();
    const { us } = decode(clockReplySchema, reply);
    return { offsetUs: us - (sentUs + heardUs) / 2, roundTripUs: heardUs - sentUs };
  }

  async #watch(): Promise<void> {
    let heardMs = performance.now();
    const { signal } = this.#released;
    while (!signal.aborted) {
      await sleep(pingEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#ping();
        heardMs = performance.now();
      } catch (cause) {
        const silentMs = performance.now() - heardMs;
        if (silentMs < silenceMsMax && !isUnheard(cause)) continue;
        this.#isSilent = !isUnheard(cause);
        const silent = `it was lost: no answer for ${(silentMs / 1000).toFixed(1)} s; see whether it and its network run`;
        this.#loss.abort(this.#error(silent, cause));
        return;
      }
    }
  }

  #subject(verb: Verb): string {
    return subjects.ofRun(this.#run, this.#announcement.instance, verb);
  }

  #error(reason: string, cause?: unknown): Error {
    return new Error(`load agent ${this.name}: ${reason}`, { cause });
  }
}
