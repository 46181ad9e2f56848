import { v, type Infer } from 'convex/values';
import { mutation, type Account, type MutationCtx, type QueryCtx } from './builders.ts';

const balanceMax = 9_223_372_036_854_775_807n;

/** What became of a transfer. How often Convex ran it is not known inside it. */
export const outcomeValidator = v.union(
  v.object({ kind: v.literal('applied') }),
  v.object({
    kind: v.literal('declined'),
    reason: v.union(
      v.literal('insufficient-funds'),
      v.literal('missing-account'),
      v.literal('same-account'),
      v.literal('non-positive-amount'),
    ),
  }),
  v.object({ kind: v.literal('fault'), code: v.literal('invalid-request'), message: v.string() }),
);
export type TransferOutcome = Infer<typeof outcomeValidator>;
type DeclineReason = Extract<TransferOutcome, { kind: 'declined' }>['reason'];

/** Moves an amount from one account to another. The checks, and their order, are those of every other system. */
export const transfer = mutation({
  args: { source: v.number(), target: v.number(), amount: v.int64() },
  returns: outcomeValidator,
  handler: async ({ db }, { source, target, amount }): Promise<TransferOutcome> => {
    if (amount <= 0n) return declined('non-positive-amount');
    if (source === target) return declined('same-account');
    const [from, to] = await Promise.all([accountOf(db, source), accountOf(db, target)]);
    if (from === null || to === null) return declined('missing-account');
    if (from.balance < amount) return declined('insufficient-funds');
    if (to.balance > balanceMax - amount) {
      return { kind: 'fault', code: 'invalid-request', message: 'the balance would pass 64 bits' };
    }
    await add(db, from, -amount);
    await add(db, to, amount);
    return { kind: 'applied' };
  },
});

function declined(reason: DeclineReason): TransferOutcome {
  return { kind: 'declined', reason };
}

async function accountOf(db: QueryCtx['db'], account: number) {
  return await db
    .query('accounts')
    .withIndex('by_account', (index) => index.eq('account', account))
    .unique();
}

async function add(db: MutationCtx['db'], { _id, balance }: Account, amount: bigint): Promise<void> {
  await db.patch(_id, { balance: balance + amount });
}
