import { expect, test } from 'vitest';
import type { Deployment, ProcessRef, ProvisionContext, Route } from '@fair-bench/contract';
import { createSupervisor, Deployments, loneTargetOptions } from '../src/index.ts';

const unused = () => Promise.reject(new Error('not part of this test'));

/** Targets that do nothing, on servers that only say when they start and end. */
class Site {
  readonly events: string[] = [];
  readonly deployments = new Deployments({
    supervisor: createSupervisor({ logDirectory: '/nowhere' }),
    signal: new AbortController().signal,
  });

  async ensure(target: string, server: string | null, processes: readonly ProcessRef[] = []): Promise<void> {
    const route: Route = {
      name: target,
      fairProfile: [],
      probe: unused,
      provision: async (context) => await this.#provision(context, server, processes),
    };
    await this.deployments.ensure(target, route, loneTargetOptions);
  }

  async #provision(
    context: ProvisionContext,
    server: string | null,
    processes: readonly ProcessRef[],
  ): Promise<Deployment> {
    if (server !== null) await context.shared(server, async () => await this.#start(server));
    return {
      endpoint: { url: context.target === 'files' ? 'file:///nowhere' : 'http://127.0.0.1:1', options: {} },
      processes,
      check: () => Promise.resolve(),
      prepare: unused,
      facts: unused,
      counters: unused,
      inFlight: unused,
      observe: unused,
      tables: { create: unused, install: unused, load: unused, scan: noRows, read: unused, clear: unused },
      close: () => Promise.resolve(void this.events.push(`close ${context.target}`)),
    };
  }

  async #start(server: string) {
    await Promise.resolve();
    this.events.push(`start ${server}`);
    if (server === 'broken') throw new Error('it is broken');
    const close = () => Promise.resolve(void this.events.push(`end ${server}`));
    return { check: () => Promise.resolve(), close };
  }
}

async function* noRows(): AsyncIterable<readonly []> {}

const ours = [{ role: 'database', pid: 1 }] as const;

test('targets that are started at the same time share one server', async () => {
  const site = new Site();
  await Promise.all([site.ensure('a', 'db', ours), site.ensure('b', 'db', ours)]);
  expect(site.events).toEqual(['start db']);
  await site.deployments.close('a');
  expect(site.events).toEqual(['start db', 'close a']);
  await site.deployments.close('b');
  expect(site.events).toEqual(['start db', 'close a', 'close b', 'end db']);
});

test('a server that cannot be started is tried again for the next target', async () => {
  const site = new Site();
  const both = await Promise.allSettled([site.ensure('a', 'broken', ours), site.ensure('b', 'broken', ours)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(site.events).toEqual(['start broken']);
  await expect(site.ensure('a', 'broken', ours)).rejects.toThrow('it is broken');
  expect(site.events).toEqual(['start broken', 'start broken']);
  expect(site.deployments.starts('a')).toBe(0);
});

test('only targets with processes or files of ours are closed, with their servers, and counted when they start again', async () => {
  const site = new Site();
  await Promise.all([
    site.ensure('a', 'db', ours),
    site.ensure('b', 'db', ours),
    site.ensure('by-url', null),
    site.ensure('files', null),
  ]);
  expect(await site.deployments.closeOurs()).toEqual([]);
  expect(site.events.toSorted()).toEqual(['close a', 'close b', 'close files', 'end db', 'start db']);
  await Promise.all([site.ensure('a', 'db', ours), site.ensure('by-url', null)]);
  expect(site.events.slice(5)).toEqual(['start db']);
  expect(['a', 'b', 'by-url'].map((target) => site.deployments.starts(target))).toEqual([2, 1, 1]);
});

test('services that are kept outlive their target, serve the next one, and end with all of them', async () => {
  const site = new Site();
  await site.ensure('a', 'db', ours);
  site.deployments.keepServices('a');
  await site.ensure('beside', 'other', ours);
  await site.deployments.close('beside');
  await site.deployments.close('a');
  await site.ensure('b', 'db', ours);
  await site.deployments.close('b');
  expect(site.events).toEqual(['start db', 'start other', 'close beside', 'end other', 'close a', 'close b']);
  expect(await site.deployments.closeAll()).toEqual([]);
  expect(site.events.slice(6)).toEqual(['end db']);
});
