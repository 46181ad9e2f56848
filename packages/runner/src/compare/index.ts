export { compareRuns, type RunComparison } from './compare-runs.ts';
