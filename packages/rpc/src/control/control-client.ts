import { z } from 'zod';
import type { JsonObject } from '@fair-bench/contract';
import {
  serverCountersSchema,
  serverFactsSchema,
  serverInFlightSchema,
  type ServerCounters,
  type ServerFacts,
  type ServerInFlight,
} from '../protocol.ts';

const healthSchema = z.object({ status: z.literal('ok') });
const backendSchema = z.strictObject({ answers: z.array(z.json()) });
const answerMsMax = 30_000;

/** A client of a server's control port. Every call is bounded and rejects with the server's own reason. */
export class ControlClient {
  readonly #server: string;
  readonly #origin: string;

  /** `server` names the server in errors; `origin` is `http://127.0.0.1:<control port>`. */
  constructor(server: string, origin: string) {
    this.#server = server;
    this.#origin = origin;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#ask('GET', '/health', healthSchema, signal);
  }

  facts(signal: AbortSignal): Promise<ServerFacts> {
    return this.#ask('GET', '/facts', serverFactsSchema, signal);
  }

  counters(signal: AbortSignal): Promise<ServerCounters> {
    return this.#ask('GET', '/counters', serverCountersSchema, signal);
  }

  inFlight(signal: AbortSignal): Promise<ServerInFlight> {
    return this.#ask('GET', '/in-flight', serverInFlightSchema, signal);
  }

  async resetInFlight(signal: AbortSignal): Promise<void> {
    await this.#ask('POST', '/in-flight/reset', healthSchema, signal);
  }

  /** Closes the server's database connections and reopens them, with the given number per process. */
  async recycle(signal: AbortSignal, poolSizePerProcess?: number): Promise<void> {
    const body = poolSizePerProcess === undefined ? {} : { poolSizePerProcess };
    await this.#ask('POST', '/recycle', healthSchema, signal, body);
  }

  /** Sends a request to the implementation in every process; only it and its connector know the format. */
  async backend<Answer>(
    request: JsonObject,
    answerSchema: z.ZodType<Answer>,
    signal: AbortSignal,
  ): Promise<Answer[]> {
    const { answers } = await this.#ask('POST', '/backend', backendSchema, signal, request);
    return z.array(answerSchema).parse(answers);
  }

  async #ask<Answer>(
    method: 'GET' | 'POST',
    path: string,
    schema: z.ZodType<Answer>,
    signal: AbortSignal,
    body: JsonObject = {},
  ): Promise<Answer> {
    const where = `${this.#server}: ${method} ${path} of its control port ${this.#origin}`;
    let status: number;
    let value: unknown;
    try {
      const response = await fetch(`${this.#origin}${path}`, {
        method,
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]),
        ...(method === 'POST' && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      });
      status = response.status;
      value = await response.json();
    } catch (cause) {
      throw new Error(`${where} did not answer; see its log`, { cause });
    }
    if (status !== 200) throw new Error(`${where} answered ${status}: ${JSON.stringify(value)}`);
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      throw new Error(`${where} answered ${JSON.stringify(value)}`, { cause: parsed.error });
    }
    return parsed.data;
  }
}
