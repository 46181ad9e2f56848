import { rm } from 'node:fs/promises';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import type { Deployment, Facts, Route, TargetOptions } from '@fair-bench/contract';
import { discover, loadConnector } from '@fair-bench/runner';
import { probeServer, storageOf } from '@fair-bench/supervisor';
import { type ConformanceOptions, describeConnector } from '../../src/describe-connector.ts';
import { root } from '../../src/workloads.ts';

const { connectors } = await discover(root);
const found = connectors.find(({ name }) => name === 'null-http');
if (found === undefined) throw new Error('the repository has no null-http');
const rows = await loadConnector(found);

/** A double of a durable system: the null connector, which says of itself what it was asked for. It flushes nothing. */
const double: Route = {
  ...rows,
  name: 'double-http',
  fairProfile: [
    {
      setting: 'sync',
      accepted: ['on'],
      acceptedAsync: ['off'],
      reason: 'without it a commit is acknowledged before it is on disk',
    },
  ],
  async provision(context) {
    const { supervisor, target, options } = context;
    const [deployment, directory] = [await rows.provision(context), await supervisor.directory(target)];
    const storage = await storageOf(directory);
    const { durability } = options;
    return {
      ...deployment,
      facts: async (signal) => ({
        ...(await deployment.facts(signal)),
        durability,
        settings: { sync: durability === 'durable' ? 'on' : 'off' },
        storage,
      }),
      async close() {
        await deployment.close();
        await rm(directory, { recursive: true });
      },
    };
  },
};

interface Made extends ConformanceOptions {
  readonly client?: string;
  readonly route?: Route;
  /** How often a failed test is tried again: it must fail again. */
  readonly retry?: number;
}

/** A connector with exactly this mistake, in its client module or in its route. */
function made(mistake: string, { client = 'sound', route = double, retry = 0, ...options }: Made): void {
  const path = fileURLToPath(new URL(`clients/${client}.ts`, import.meta.url));
  describe(`the mistake ${mistake}`, { retry }, () => {
    describeConnector(route, path, { workloads: ['transfer'], drawnOperations: 40, ...options });
  });
}

function withDeployment(wrap: (deployment: Deployment, options: TargetOptions) => Deployment): Route {
  return {
    ...double,
    provision: async (context) => wrap(await double.provision(context), context.options),
  };
}

function withFacts(change: (facts: Facts) => Partial<Facts>): Route {
  return withDeployment((deployment) => ({
    ...deployment,
    async facts(signal) {
      const facts = await deployment.facts(signal);
      return { ...facts, ...change(facts) };
    },
  }));
}

function asAlways(durability: TargetOptions['durability']): Route {
  return {
    ...double,
    provision: async (context) =>
      await double.provision({ ...context, options: { ...context.options, durability } }),
  };
}

made('throws', { client: 'throws', parts: ['model'] });
made('sends-twice', { client: 'sends-twice', parts: ['model'] });
made('answers-with-a-number', { client: 'answers-with-a-number', parts: ['model'] });
made('leaves-a-timer', { client: 'leaves-a-timer', parts: ['sessions'] });
made('never-doubts', { client: 'never-doubts', parts: ['sessions'] });
made('resends', { client: 'resends', parts: ['sessions'] });
made('does-not-wait', { client: 'does-not-wait', parts: ['kill'], killable: true });

made('reads-numbers', {
  parts: ['model'],
  route: withDeployment((deployment) => ({
    ...deployment,
    tables: {
      ...deployment.tables,
      async *scan(table, signal) {
        for await (const page of deployment.tables.scan(table, signal)) {
          yield page.map((row) => row.map((value) => Number(value)));
        }
      },
    },
  })),
});

made('calls-every-commit-durable', {
  parts: ['evidence'],
  retry: 1,
  route: withFacts(() => ({ durability: 'durable' })),
});
made('ignores-the-level', { parts: ['evidence'], route: asAlways('async') });
made('names-no-setting', { parts: ['evidence'], retry: 1, route: { ...double, fairProfile: [] } });

// The double flushes nothing, as a server that waits for no flush.
made('calls-everysec-durable', { parts: ['evidence'] });

made('shares-one-server', {
  parts: ['evidence'],
  route: {
    ...double,
    provision: async (context) => {
      const shared = await context.shared('the server', async () => await double.provision(context));
      return { ...shared, close: () => Promise.resolve() };
    },
  },
});

made('restarts-elsewhere', {
  parts: ['kill'],
  killable: true,
  route: {
    ...double,
    provision: async (context) => {
      const { supervisor } = context;
      let starts = 0;
      return await double.provision({
        ...context,
        supervisor: {
          ...supervisor,
          start: async (specification) =>
            await supervisor
              .start({
                ...specification,
                // The first start is seen; a second one is elsewhere.
                ready: {
                  get timeoutMs() {
                    return starts === 0 ? specification.ready.timeoutMs : 3_000;
                  },
                  check: (output) => starts === 0 && specification.ready.check(output),
                },
              })
              .then((child) => {
                starts += 1;
                return child;
              }),
        },
      });
    },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'fair-bench-mistaken-'));
const program = join(folder, 'mydbd');
writeFileSync(program, '#!/bin/sh\necho "mydb, the good one"\n');
chmodSync(program, 0o755);
made('prints-no-version', {
  route: {
    ...double,
    probe: async (options) =>
      await probeServer(
        {
          name: 'mydb',
          title: 'MyDB',
          remedy: 'install MyDB',
          version: () => Promise.reject(new Error('it is not started')),
          local: { programs: ['mydbd'], url: String, launch: () => ({ arguments: [] }) },
        },
        { ...options, program },
      ),
  },
});

made('has-no-binding', {
  route: {
    ...double,
    probe: async (options) =>
      options.workload === null
        ? await double.probe(options)
        : { available: false, reason: 'the workload transfer has no binding mydb.sql', remedy: 'write it' },
  },
});
