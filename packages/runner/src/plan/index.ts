export * from './assemble-plan.ts';
export * from './build-plan.ts';
export { describeLoops, loopOf } from './loop-of.ts';
export { settledPlan } from './settled-plan.ts';
export * from './target-options.ts';
export { redactCommand, redactUrl } from './redact.ts';
