/** What a load client needs of this package; without the rest it starts twice as fast. */
export * from './load-client-events.ts';
export * from './trial-plan.ts';
export * from './trial-result.ts';
export { meanOf, sum } from './statistics.ts';
