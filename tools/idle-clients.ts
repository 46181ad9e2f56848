import { setTimeout as sleep } from 'node:timers/promises';
import { readMemoryBytes } from '@fair-bench/supervisor';
import { Client } from 'pg';
import type { z } from 'zod';
import { openBench, print, withContext } from './bench.ts';
import { option, tool, wholes, words } from './tool.ts';

const options = {
  poolers: option('names', 'separated by commas', words.prefault('pgbouncer,pgdog')),
  clients: option('numbers', 'idle clients', wholes(1).prefault('1000,10000')),
};

export const idleClientsTool = tool(
  'bench:idle-clients',
  'the memory of a pooler for each client that is connected and idle',
  options,
  measureIdleClients,
);

/** Clients that connect at the same time. */
const atOnce = 50;
/** What a pooler frees after a login is free by then. */
const settleMs = 1_000;

/**
 * Connects idle clients to a newly started pooler and reads the memory of its process (proportional set size), before
 * the first and after each of the numbers.
 */
async function measureIdleClients({
  poolers,
  clients,
}: z.infer<z.ZodObject<typeof options>>): Promise<number> {
  await withContext(async (context) => {
    print('| pooler | idle clients | MiB | KiB per client |');
    print('| --- | ---: | ---: | ---: |');
    for (const pooler of poolers) {
      const name = `postgres-driver@extended-${pooler}`;
      await using bench = await openBench(context, [name]);
      const { deployment } = await bench.target(name);
      const facts = await deployment.facts(context.signal);
      await using idle = new IdleClients(deployment.endpoint.url);
      const bytes = async (): Promise<number> => {
        await sleep(settleMs);
        return (await readMemoryBytes(deployment.processes)).pooler ?? Number.NaN;
      };
      const before = await bytes();
      const named = `${pooler} ${facts.pooler?.version}`;
      print(`| ${named} | 0 | ${mebibytes(before)} | |`);
      for (const count of clients.toSorted((a, b) => a - b)) {
        await idle.connectUpTo(count);
        const now = await bytes();
        print(`| ${named} | ${count} | ${mebibytes(now)} | ${((now - before) / count / 1024).toFixed(2)} |`);
      }
    }
  });
  return 0;
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

class IdleClients implements AsyncDisposable {
  readonly #url: string;
  readonly #clients: Client[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async connectUpTo(count: number): Promise<void> {
    while (this.#clients.length < count) {
      const some = Math.min(atOnce, count - this.#clients.length);
      const added = Array.from({ length: some }, () => new Client({ connectionString: this.#url }));
      await Promise.all(added.map(async (client) => await client.connect()));
      this.#clients.push(...added);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map(async (client) => await client.end()));
  }
}
