/** What a load client needs of this package: it starts in half of the time without the rest. */
export * from './load-client-events.ts';
export * from './trial-plan.ts';
export * from './trial-result.ts';
