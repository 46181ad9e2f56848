import type { Deployment } from '@fair-bench/contract';

/** Says that commits are durable, whatever the settings are. */
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

/** Says that it seeded, and leaves the table as it is. */
export function seedsNothing(deployment: Deployment): Deployment {
  const { tables } = deployment;
  if (tables === undefined) throw new Error('there are no tables to be lied about');
  const nothing = () => Promise.resolve();
  return { ...deployment, tables: { ...tables, create: nothing, clear: nothing, load: nothing } };
}
