import type { Figure } from '@fair-bench/results';
import { defaultParameters, measureGeneration, parseTransferParameters } from '@fair-bench/workload-transfer';
import { atMost } from '../figure.ts';

const alphas = [0, 0.5, 0.99, 1, 1.5, 2, 4, 8];
const accounts = [100_000, 10_000_000];
const nsMax = 150;

/** What generating one operation costs, at the skew that costs most. */
export function generationFigures(): readonly Figure[] {
  return accounts.map((count) => {
    const measured = alphas.map((alpha) => {
      const parameters = parseTransferParameters({ ...defaultParameters, accounts: count, alpha });
      return { alpha, ns: measureGeneration(parameters) };
    });
    const slowest = measured.reduce((worst, each) => (each.ns > worst.ns ? each : worst));
    const name = `generating one operation of ${count.toLocaleString('en-US')} accounts`;
    const note = `slowest of alpha ${alphas.join(', ')}: alpha ${slowest.alpha}`;
    return atMost(name, slowest.ns, 'ns', nsMax, note);
  });
}
