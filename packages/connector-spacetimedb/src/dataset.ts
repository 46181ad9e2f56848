import { z } from 'zod';
import type { BalancePage, TransferAccess } from '@fair-bench/contract';
import type { Database } from './database.ts';

const accountsPerCall = 100_000;
/** A page is a scan of the whole table, for a hash index knows no ranges: so few and large ones. */
const accountsPerPage = 1_000_000;

const countSchema = z.tuple([z.tuple([z.bigint()])]);
const pageSchema = z.array(z.tuple([z.bigint(), z.bigint()]));

/** The dataset by HTTP requests of their own, as the database's owner. */
export function transferAccess(database: Database): TransferAccess {
  return {
    async seed({ accounts, initialBalance }, signal) {
      await database.call('clear', '[]', signal);
      for (let first = 0; first < accounts; first += accountsPerCall) {
        const count = Math.min(accountsPerCall, accounts - first);
        await database.call('seed', `[${first},${count},${initialBalance}]`, signal);
      }
    },
    async *balances(signal) {
      const count = await countAccounts(database, signal);
      for (let first = 0; first < count; first += accountsPerPage) {
        yield await readPage(database, `id >= ${first} AND id < ${first + accountsPerPage}`, signal);
      }
      const end = Math.ceil(count / accountsPerPage) * accountsPerPage;
      // Accounts that nobody seeded would lie beyond.
      yield await readPage(database, `id >= ${end}`, signal);
    },
  };
}

/** How many accounts there are; resolves once everything before it is on disk. */
export async function countAccounts(database: Database, signal: AbortSignal): Promise<number> {
  const [[count]] = countSchema.parse(await database.query('SELECT COUNT(*) AS n FROM accounts', signal));
  return Number(count);
}

async function readPage(database: Database, where: string, signal: AbortSignal): Promise<BalancePage> {
  const rows = pageSchema.parse(
    await database.query(`SELECT id, balance FROM accounts WHERE ${where}`, signal),
  );
  return { ids: rows.map(([id]) => Number(id)), balances: rows.map(([, balance]) => balance) };
}
