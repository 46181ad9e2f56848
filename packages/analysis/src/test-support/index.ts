export { soundEvidence } from './evidence.ts';
export * from './trial-records.ts';
export { faultTrialOf } from './fault-trials.ts';
export { type SoakShape, soakedTrial } from './soaked-trials.ts';
