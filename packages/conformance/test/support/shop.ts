import { fileURLToPath } from 'node:url';
import { messageOf } from '@fair-bench/contract';
import { loadWorkload } from '@fair-bench/runner';
import { root } from '../../src/workloads.ts';
import { LiarBench } from './liar-bench.ts';

/** A workload whose tables a shop already has, with the shop's file for each system. */
export const shop = fileURLToPath(new URL('../fixtures/shop/', import.meta.url));
export const workload = await loadWorkload(root, shop);

/** Why a target with this file does not start on a user's server. */
export async function refusal(setup: string, target: string, url: string): Promise<string> {
  try {
    const bench = await LiarBench.with({ setup, url }, workload, target);
    await bench.close();
  } catch (error) {
    return messageOf(error);
  }
  return 'it started';
}
