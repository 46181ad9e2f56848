/** What `--durability` and `--profile` take. */
export const durabilityChoices = ['durable', 'async', 'both'] as const;
export const profileChoices = ['default', 'tuned', 'both'] as const;

/** What optimized mode takes where sessions and depth are not given: the grid in which it looks for the best. */
export const searchGrid = { sessions: '4,16,50,200', depth: '1,8,40' } as const;
