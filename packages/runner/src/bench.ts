/** What a package's own bench is made of: targets that run side by side, audited trials, ratios with intervals. */
export {
  type Bench,
  type BenchContext,
  type BenchTarget,
  clientCpuUsOf,
  median,
  openBench,
  tpsOf,
} from './self-bench/bench.ts';
export { measureStorage, type StorageRuler } from './rulers/fsync-rate.ts';
export { pairedRatio, type RatioEstimate, type RoundPair } from './statistics/index.ts';
