import { customType, integer, sqliteTable } from 'drizzle-orm/sqlite-core';

/** A 64-bit integer as a bigint: Drizzle's own integer column is a number and ends at 2⁵³. */
const int64 = customType<{ data: bigint; driverData: bigint }>({ dataType: () => 'integer' });

export const accounts = sqliteTable('accounts', {
  id: integer('id').primaryKey(),
  balance: int64('balance').notNull(),
});

/** STRICT: a sum beyond 64 bits is an error, where it would silently become a float otherwise. */
export const createAccountsSql =
  'CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL) STRICT';
