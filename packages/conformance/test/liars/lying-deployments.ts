import type { ControlPlane, Deployment, Facts, Isolation } from '@fair-bench/contract';
import { runSql } from '../support/run-sql.ts';

/** Reports durable commits, whatever the settings are. */
export function claimsDurability(deployment: Deployment): Deployment {
  return {
    ...deployment,
    async facts(signal) {
      const facts = await deployment.facts(signal);
      const settings = { ...facts.settings, fsync: 'on', synchronous_commit: 'on' };
      return { ...facts, durability: 'durable', settings };
    },
  };
}

/** Reports a level of isolation, whatever its sessions have. */
export function claimsIsolation(deployment: Deployment, isolation: Isolation): Deployment {
  return {
    ...deployment,
    facts: async (signal) => ({ ...(await deployment.facts(signal)), isolation }),
  };
}

/** Leads its sessions to another target of the same server, which reports what it did before anything is counted. */
export function leadsTo(deployment: Deployment, other: Deployment): Deployment {
  return {
    ...atUrl(deployment, other.endpoint.url),
    async counters(signal) {
      await other.counters(signal);
      return await deployment.counters(signal);
    },
  };
}

/** Leads its sessions somewhere else. */
export function atUrl(deployment: Deployment, url: string): Deployment {
  return { ...deployment, endpoint: { ...deployment.endpoint, url } };
}

/** Says something else of its pooler. */
export function claimsAPooler(
  deployment: Deployment,
  claimed: Partial<NonNullable<Facts['pooler']>>,
): Deployment {
  return {
    ...deployment,
    async facts(signal) {
      const facts = await deployment.facts(signal);
      return facts.pooler === undefined ? facts : { ...facts, pooler: { ...facts.pooler, ...claimed } };
    },
  };
}

/** Counts transactions as passed on by its pooler that were answered before it. */
export function countsAsPooled(deployment: Deployment, answered: () => number): Deployment {
  return {
    ...deployment,
    async counters(signal) {
      const { pooled = 0, ...counters } = await deployment.counters(signal);
      return { ...counters, pooled: pooled + answered() };
    },
  };
}

/** Says that its log lies on a disk too, wherever it lies. */
export function claimsADisk(deployment: Deployment): Deployment {
  return {
    ...deployment,
    async facts(signal) {
      const facts = await deployment.facts(signal);
      const { directory, fileSystem } = facts.storage;
      return { ...facts, storage: { directory, fileSystem } };
    },
  };
}

/** Hides its processes, and the flushes that it counts. */
export function hidesItsServer(deployment: Deployment): Deployment {
  return {
    ...deployment,
    processes: [],
    async counters(signal) {
      const { flushes: _flushes, ...counters } = await deployment.counters(signal);
      return counters;
    },
  };
}

/** Claims to have seeded, and leaves the tables unchanged. `tables` are the deployment's. */
export function seedsNothing(deployment: Deployment, tables: ControlPlane): Deployment {
  const lying: ControlPlane = {
    create: () => Promise.resolve(),
    install: () => Promise.resolve(),
    load: () => Promise.resolve(),
    clear: () => Promise.resolve(),
    scan: (table, signal) => tables.scan(table, signal),
    read: (table, keys, signal) => tables.read(table, keys, signal),
  };
  return { ...deployment, tables: lying };
}

/** A PostgreSQL server whose sessions give up on a lock at once, so that what would be slow is an error; undone by `waitsAgain`. */
export function failsWhatWaits(deployment: Deployment): Deployment {
  return replacesFunctions(deployment, "alter role current_user set lock_timeout = '1ms'");
}

export async function waitsAgain({ endpoint }: Deployment): Promise<void> {
  await runSql(endpoint.url, 'alter role current_user reset lock_timeout');
}

/** Replaces functions of the target by others, as a binding with a mistake would have them: by SQL. */
export function replacesFunctions(deployment: Deployment, functions: string): Deployment {
  const { tables } = deployment;
  return {
    ...deployment,
    tables: {
      ...tables,
      async install(binding, signal) {
        await tables.install(binding, signal);
        await runSql(deployment.endpoint.url, functions);
      },
    },
  };
}
