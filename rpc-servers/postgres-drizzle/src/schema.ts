import { bigint, pgSchema } from 'drizzle-orm/pg-core';

/** The dataset's table as @fair-bench/connector-postgres makes it. */
export const accounts = pgSchema('fair_bench').table('accounts', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  balance: bigint('balance', { mode: 'bigint' }).notNull(),
});
