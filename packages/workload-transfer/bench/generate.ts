import { defaultParameters } from '../src/parameters.ts';
import { measureGeneration } from '../src/measure-generation.ts';

/** Prints what it costs to generate one operation: `node packages/workload-transfer/bench/generate.ts`. */
for (const accounts of [100_000, 10_000_000]) {
  for (const alpha of [0, 0.5, 0.99, 1, 1.5, 2, 4, 8, 32]) {
    const ns = measureGeneration({ ...defaultParameters, accounts, alpha });
    process.stdout.write(`accounts ${accounts}, alpha ${alpha}: ${ns.toFixed(1)} ns\n`);
  }
}
