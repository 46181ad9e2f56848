import { expect, test } from 'vitest';
import { chosen } from '@fair-bench/contract/test-support';
import transfer from '@fair-bench/workloads/transfer';
import { countLosses, type Losses } from '../../src/index.ts';
import { acknowledged, type Call, lost, pages, run, type Bench, type Target } from './simulation.ts';

const at = 2_000;
const inDoubt = 20;

interface Faults {
  readonly losses?: number;
  readonly doubled?: number;
}

/**
 * Ten sessions of transfers. A fault begins after operation `at`: the last ones before it were acknowledged and not done; then some
 * are in doubt, half of which were done; of the next ones, which are outstanding too, some are done twice.
 */
const faulty =
  ({ losses = 0, doubled = 0 }: Faults, first: { call: Call | null }) =>
  (bench: Bench): Target => {
    let seen = 0;
    return {
      execute(call) {
        seen += 1;
        if (seen > at - losses && seen <= at) return acknowledged;
        if (seen === at + 1) first.call = call;
        if (seen > at && seen <= at + inDoubt) {
          if (seen % 2 === 0) bench.honest(call);
          return lost;
        }
        if (seen <= at + inDoubt + doubled && seen > at) bench.honest(call);
        return bench.honest(call);
      },
    };
  };

async function lossesOf(faults: Faults): Promise<Losses> {
  const first: { call: Call | null } = { call: null };
  const { workload, store, logs, liar } = await run(faulty(faults, first), {
    description: transfer,
    parameters: { accounts: 20_000, alpha: 0.5 },
    sessions: 10,
    operations: 400,
  });
  const { session = 0, sequence = 0 } = first.call ?? {};
  const beganUs = logs[session]?.times[2 * sequence] ?? 0;
  return await countLosses({
    workload,
    logs,
    scan: (table) => pages(store, table, liar),
    inDoubtShareMax: 1,
    // Operations are outstanding for up to a millisecond here.
    faultUs: [beganUs, beganUs + 1_500],
    signal: new AbortController().signal,
  });
}

test.each([1, 7, 60])(
  '%i acknowledged operations before a fault are lost: so many are counted',
  async (losses) => {
    expect(await lossesOf({ losses })).toEqual({ lost: losses, doubled: 0 });
  },
);

test.each(chosen([1, 9], (doubled) => doubled === 1))(
  '%i operations that were outstanding at a fault are carried out twice',
  async (doubled) => {
    expect(await lossesOf({ doubled })).toEqual({ lost: 0, doubled });
  },
);
