/** More operations in one commit test memory, not a target. */
export const batchMax = 1_000_000;
