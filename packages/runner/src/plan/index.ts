export * from './build-plan.ts';
export * from './target-options.ts';
export { redactCommand, redactUrl } from './redact.ts';
export { nearest } from './nearest.ts';
