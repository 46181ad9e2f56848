export { type AaOptions, aaDefaults, parseAaOptions } from './aa/aa-options.ts';
export { analyseAa } from './aa/analyse.ts';
export {
  type Bench,
  type BenchContext,
  type BenchTarget,
  clientCpuUsOf,
  median,
  openBench,
  tpsOf,
} from './self-bench/bench.ts';
