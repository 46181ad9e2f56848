import type { PassedTrial, HostSummary } from '@fair-bench/results';

/** The machine over the windows of a cell's trials; nothing where one of them was not observed. */
export function hostOf(trials: readonly PassedTrial[]): { readonly host?: HostSummary } {
  const all = trials.flatMap(({ host }) => host ?? []);
  if (all.length === 0 || all.length < trials.length) return {};
  const meanOf = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const whole = (values: readonly (number | null)[]): readonly number[] | null => {
    const known = values.filter((value) => value !== null);
    return known.length === all.length ? known : null;
  };
  const waiting = whole(all.map(({ waitingShare }) => waitingShare));
  const foreign = whole(all.map(({ foreignShare }) => foreignShare));
  return {
    host: {
      busyShareMean: meanOf(all.map(({ busyShare }) => busyShare)),
      stealShareMax: Math.max(...all.map(({ stealShare }) => stealShare)),
      waitingShareMean: waiting === null ? null : meanOf(waiting),
      foreignShareMax: foreign === null ? null : Math.max(...foreign),
    },
  };
}
