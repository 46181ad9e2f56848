import { v } from 'convex/values';
import { internalMutation, internalQuery, type QueryCtx } from './builders.ts';
import { accountsPerPage, accountsPerSeed } from './limits.ts';

/**
 * Gives the accounts `first` … `first + count − 1` a balance, whatever they had: those that are there are
 * changed where they differ, the others are made. `balance` is a decimal string. Nothing outside the range changes.
 */
export const seed = internalMutation({
  args: { first: v.number(), count: v.number(), balance: v.string() },
  returns: v.null(),
  handler: async ({ db }, { first, count, balance: text }) => {
    if (count > accountsPerSeed) throw new Error(`seed takes at most ${accountsPerSeed} accounts`);
    const balance = BigInt(text);
    const missing = new Set(Array.from({ length: count }, (_value, index) => first + index));
    for (const { _id, account, balance: present } of await range(db, first, count).collect()) {
      missing.delete(account);
      if (present !== balance) await db.patch(_id, { balance });
    }
    for (const account of missing) await db.insert('accounts', { account, balance });
    return null;
  },
});

/** Deletes accounts from `first` on, as many as one transaction takes. Tells how many; 0 when none is left. */
export const trim = internalMutation({
  args: { first: v.number() },
  returns: v.number(),
  handler: async ({ db }, { first }) => {
    const extra = await db
      .query('accounts')
      .withIndex('by_account', (index) => index.gte('account', first))
      .take(accountsPerSeed);
    for (const { _id } of extra) await db.delete(_id);
    return extra.length;
  },
});

/**
 * A page of all accounts: `ids[i]` has `balances[i]`, a decimal string. The first page is that of cursor null; the
 * last has the cursor null. An account that is there twice is told twice.
 */
export const page = internalQuery({
  args: { cursor: v.union(v.string(), v.null()) },
  returns: v.object({
    ids: v.array(v.number()),
    balances: v.array(v.string()),
    cursor: v.union(v.string(), v.null()),
  }),
  handler: async ({ db }, { cursor }) => {
    const {
      page: rows,
      isDone,
      continueCursor,
    } = await db.query('accounts').withIndex('by_account').paginate({ numItems: accountsPerPage, cursor });
    return {
      ids: rows.map(({ account }) => account),
      balances: rows.map(({ balance }) => balance.toString()),
      cursor: isDone ? null : continueCursor,
    };
  },
});

function range(db: QueryCtx['db'], first: number, count: number) {
  return db
    .query('accounts')
    .withIndex('by_account', (index) => index.gte('account', first).lt('account', first + count));
}
