export * from './assemble-plan.ts';
export * from './build-plan.ts';
export * from './target-options.ts';
export { redactCommand, redactUrl } from './redact.ts';
