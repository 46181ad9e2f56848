export { soundEvidence } from './evidence.ts';
export * from './trial-records.ts';
