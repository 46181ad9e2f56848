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
  const { transfer } = deployment.workloads;
  if (transfer === undefined) throw new Error('there is no transfer workload to be lied about');
  return { ...deployment, workloads: { transfer: { ...transfer, seed: () => Promise.resolve() } } };
}
