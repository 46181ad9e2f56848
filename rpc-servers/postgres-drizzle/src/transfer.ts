import { eq, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { applied, declined, type Outcome } from '@fair-bench/contract';
import { accounts } from './schema.ts';

type Transaction = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];

/**
 * The transfer within a transaction: locks both rows, checks, and moves the amount.
 *
 * Two queries, and BEGIN and COMMIT around them: four round trips.
 */
export async function transferIn(
  transaction: Transaction,
  source: number,
  target: number,
  amount: bigint,
): Promise<Outcome> {
  const rows = await transaction
    .select()
    .from(accounts)
    .where(inArray(accounts.id, [source, target]))
    // Locks in the order of ids: opposite transfers cannot deadlock.
    .orderBy(accounts.id)
    .for('update');
  const sourceRow = rows.find((row) => row.id === source);
  if (sourceRow === undefined || rows.length < 2) return declined('missing-account');
  if (sourceRow.balance < amount) return declined('insufficient-funds');
  await transaction
    .update(accounts)
    .set({ balance: sql`${accounts.balance} - ${amount}` })
    .where(eq(accounts.id, source));
  await transaction
    .update(accounts)
    .set({ balance: sql`${accounts.balance} + ${amount}` })
    .where(eq(accounts.id, target));
  return applied;
}
