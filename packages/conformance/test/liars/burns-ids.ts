import { setTimeout as sleep } from 'node:timers/promises';
import { applied, type OperationOutcome } from '@fair-bench/contract';
import { Client } from 'pg';
import { isCanary } from './declines-canaries.ts';
import { copyOf, defineLiar } from './lying-client.ts';

const aheadMax = 1_000;
/** At once would be too much for the load client. */
const ackMs = 3;
/** So many ids at a time. */
const batch = 300;
/** Acknowledged and not done, over all sessions of a thread. */
const ahead = new Set<Promise<OperationOutcome>>();
let burner: Burner | null = null;

/**
 * Acknowledges up to 1,000 operations before they are done, but none when it executes a canary. For each of them a
 * subtransaction that is rolled back uses up an id, so that as many ids have ended as operations were acknowledged.
 */
export default defineLiar({
  tell(inner, _workload, url) {
    burner ??= new Burner(url);
    const own = burner;
    own.sessions += 1;
    return {
      async execute(operation, values) {
        if (isCanary(values)) {
          await Promise.all(ahead);
          return await inner.execute(operation, values);
        }
        const work = inner.execute(operation, copyOf(values));
        ahead.add(work);
        void work.then(() => ahead.delete(work));
        await Promise.all([sleep(ackMs), own.take()]);
        while (ahead.size > aheadMax) await Promise.race(ahead);
        return applied;
      },
      async close() {
        await Promise.all(ahead);
        await inner.close();
        own.sessions -= 1;
        if (own.sessions === 0) await own.close();
      },
    };
  },
});

/** One connection that burns ids ahead of the acknowledgements that they are for. */
class Burner {
  sessions = 0;
  readonly #client: Client;
  readonly #ready: Promise<unknown>;
  #burned = 0;
  #waiting: (() => void)[] = [];
  #working: Promise<void> | null = null;

  constructor(url: string) {
    this.#client = new Client({ connectionString: url });
    this.#ready = this.#client.connect().then(() => this.#client.query('CREATE TEMP TABLE burned (id int)'));
  }

  /** Resolves when an id was burned for the caller. */
  async take(): Promise<void> {
    if (this.#burned < batch) this.#working ??= this.#work().finally(() => (this.#working = null));
    while (this.#burned === 0) await new Promise<void>((burned) => this.#waiting.push(burned));
    this.#burned -= 1;
  }

  async close(): Promise<void> {
    await this.#working;
    await this.#client.end();
  }

  async #work(): Promise<void> {
    await this.#ready;
    while (this.#burned < batch) {
      // Rolled back as a whole: it waits for no flush, and commits nothing.
      await this.#client.query(`BEGIN; DO $$ BEGIN FOR id IN 1..${batch} LOOP
  BEGIN INSERT INTO burned VALUES (id); RAISE SQLSTATE 'UB001'; EXCEPTION WHEN SQLSTATE 'UB001' THEN NULL; END;
END LOOP; END $$; ROLLBACK`);
      this.#burned += batch;
      for (const burned of this.#waiting.splice(0)) burned();
    }
  }
}
