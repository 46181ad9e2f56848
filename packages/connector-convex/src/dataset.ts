import { z } from 'zod';
import type { TransferAccess } from '@fair-bench/contract';
import { accountsPerSeed, functionNames } from '@fair-bench/rpc-server-convex';
import type { AdminApi } from './admin-api.ts';

const trimmedSchema = z.int().min(0);
const pageSchema = z.strictObject({
  ids: z.array(z.number()),
  balances: z.array(z.string().regex(/^-?\d+$/)),
  cursor: z.string().nullable(),
});

/** The dataset by HTTP requests of their own, with the admin key: the functions behind them are internal. */
export function transferAccess(api: AdminApi): TransferAccess {
  return {
    async seed({ accounts, initialBalance }, signal) {
      await trim(api, accounts, signal);
      for (let first = 0; first < accounts; first += accountsPerSeed) {
        const count = Math.min(accountsPerSeed, accounts - first);
        const args = { first, count, balance: String(initialBalance) };
        await api.call(functionNames.seed, args, z.null(), signal);
      }
    },
    async *balances(signal) {
      let cursor: string | null = null;
      do {
        const page: z.infer<typeof pageSchema> = await api.call(
          functionNames.page,
          { cursor },
          pageSchema,
          signal,
        );
        yield { ids: page.ids, balances: page.balances.map(BigInt) };
        cursor = page.cursor;
      } while (cursor !== null);
    },
  };
}

/** Deletes all accounts from `first` on. */
export async function trim(api: AdminApi, first: number, signal: AbortSignal): Promise<void> {
  let deleted: number;
  do {
    deleted = await api.call(functionNames.trim, { first }, trimmedSchema, signal);
  } while (deleted > 0);
}
