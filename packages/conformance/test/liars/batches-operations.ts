import { applied, type DataPlane, type OperationOutcome, type WorkloadShape } from '@fair-bench/contract';
import { Client } from 'pg';
import { z } from 'zod';
import { defineLiar } from './lying-client.ts';

const batchMax = 16;
/** Of the statements of a batch, those that call an operation have a column with the reason. */
const resultSchema = z.object({
  rows: z.array(z.looseObject({ declined: z.string().nullable().optional() })),
});

interface Waiting {
  readonly call: string;
  readonly values: readonly string[];
  readonly settle: (outcome: OperationOutcome) => void;
}

/** The statements around a call in a batch, and those that make up for the transaction that it is not. */
interface Style {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly instead: readonly string[];
}

/** A transaction that gets an id and takes it back, and an empty one, write and flush nothing. */
const calls: Style = {
  before: [],
  after: [],
  instead: ['BEGIN', 'SELECT pg_current_xact_id()', 'ROLLBACK', 'BEGIN', 'COMMIT'],
};

/** One connection for all sessions of a thread. */
let batches: Batches | null = null;

/**
 * Carries out what all sessions of a thread have outstanding, up to 16 operations, by one transaction: one commit and
 * one flush of the log. As many transactions are counted as operations: the others are empty.
 */
export function batchesOperations(style: Style) {
  return (inner: DataPlane, { operations }: WorkloadShape, url: string): DataPlane => {
    batches ??= new Batches(url, style);
    const own = batches;
    own.sessions += 1;
    return {
      async execute(operation, values) {
        const places = values.map((_value, place) => `$${place + 1}`).join(', ');
        const call = `SELECT fair_bench.${operations[operation]?.name}(${places}) AS declined`;
        return await new Promise((settle) => own.add({ call, values: values.map(String), settle }));
      },
      async close() {
        own.sessions -= 1;
        if (own.sessions === 0) await own.close();
        await inner.close();
      },
    };
  };
}

class Batches {
  sessions = 0;
  readonly #client: Client;
  readonly #connected: Promise<unknown>;
  readonly #style: Style;
  readonly #names = new Map<string, string>();
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;

  constructor(url: string, style: Style) {
    this.#style = style;
    this.#client = new Client({ connectionString: url });
    this.#connected = this.#client.connect();
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#working ??= this.#work().finally(() => (this.#working = null));
  }

  async close(): Promise<void> {
    await this.#working;
    await this.#client.end();
  }

  /** By the protocol that the target is set to. */
  async #send(text: string, values: readonly string[] = []): Promise<unknown> {
    const name = this.#names.get(text) ?? `s${this.#names.size}`;
    this.#names.set(text, name);
    return await this.#client.query({ name, text, values: [...values] });
  }

  async #work(): Promise<void> {
    await this.#connected;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchMax);
      const { before, after, instead } = this.#style;
      const results = await Promise.all([
        this.#send('BEGIN'),
        ...batch.flatMap(({ call, values }) => [
          ...before.map((text) => this.#send(text)),
          this.#send(call, values),
          ...after.map((text) => this.#send(text)),
        ]),
        this.#send('COMMIT'),
        ...batch.slice(1).flatMap(() => instead.map((text) => this.#send(text))),
      ]);
      const reasons = results.flatMap(reasonsOf);
      batch.forEach(({ settle }, place) => {
        const reason = reasons[place] ?? null;
        settle(reason === null ? applied : { kind: 'declined', reason, retries: 0 });
      });
    }
  }
}

function reasonsOf(result: unknown): (string | null)[] {
  const { rows } = resultSchema.parse(result);
  return rows.flatMap((row) => (row.declined === undefined ? [] : [row.declined]));
}

export default defineLiar({ tell: batchesOperations(calls) });
