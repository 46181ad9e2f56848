import { z } from 'zod';
import type { BalancePage, TransferAccess } from '@fair-bench/contract';
import type { ControlClient } from '@fair-bench/rpc';
import { balancesAnswerSchema, type NullControlRequest } from '@fair-bench/rpc-server-null';

const accountsPerPage = 50_000;
const seedAnswerSchema = z.strictObject({ status: z.literal('ok') });

/** The dataset in the server's memory, reached through its control port. */
export function transferAccess(control: ControlClient): TransferAccess {
  return {
    async seed({ accounts, initialBalance }, signal) {
      const request: NullControlRequest = { ask: 'seed', accounts, initialBalance: String(initialBalance) };
      await control.backend({ ...request }, seedAnswerSchema, signal);
    },
    async *balances(signal) {
      let from = 0;
      let page: BalancePage;
      do {
        page = await readPage(control, from, signal);
        from += page.ids.length;
        if (page.ids.length > 0) yield page;
      } while (page.ids.length === accountsPerPage);
    },
  };
}

async function readPage(control: ControlClient, from: number, signal: AbortSignal): Promise<BalancePage> {
  const request: NullControlRequest = { ask: 'balances', from, count: accountsPerPage };
  const [answer] = await control.backend({ ...request }, balancesAnswerSchema, signal);
  const balances = (answer?.balances ?? []).map(BigInt);
  return { ids: balances.map((_balance, index) => from + index), balances };
}
