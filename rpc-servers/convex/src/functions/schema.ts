import { defineSchema, defineTable } from 'convex/server';
import { v } from 'convex/values';

/** Balances are signed 64-bit integers. Account ids are whole numbers below 2³². */
export default defineSchema({
  accounts: defineTable({ account: v.number(), balance: v.int64() }).index('by_account', ['account']),
  /** One document, written when somebody wants to see where a write goes. */
  marks: defineTable({ mark: v.string() }),
});
