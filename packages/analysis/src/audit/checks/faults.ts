import { type Check, completions, fail, pass, sumCounts, warn } from '../evidence.ts';

/** What an isolation level refuses: where isolation is observed, they are what the load provokes. */
const conflicts: readonly string[] = ['serialization-failure', 'deadlock'];

/**
 * A target that fails what is slow has a short queue and short latencies: above the accepted share of faults its numbers are
 * of another load. Fewer do not void a trial whose state is right, but they are always reported.
 */
export const checkFaults: Check = ({ result, faultsShareMax, state }) => {
  const { total, window } = result;
  const judged = Object.entries(window.faults).filter(
    ([code]) => state.isolation?.provoked !== true || !conflicts.includes(code),
  );
  const share = sumCounts(Object.fromEntries(judged)) / Math.max(1, completions(window));
  if (share > faultsShareMax && window.applied > 0) {
    const [commonest] = byCount(Object.fromEntries(judged));
    return fail(
      'too-many-faults',
      `${percent(share)} of the operations in the window ended in a fault, more than ${percent(faultsShareMax)}; most often ${commonest}`,
      'find the cause in the log of the target, or accept more faults with --faults-max',
    );
  }
  const faults = sumCounts(total.faults);
  if (faults === 0) return pass;
  return warn(
    'faults',
    `${faults} operations ended in a fault: ${byCount(total.faults).join(', ')}`,
    'see the log of the target in the run folder',
  );
};

/** The faults in words, the commonest first. */
function byCount(faults: Readonly<Partial<Record<string, number>>>): readonly string[] {
  return Object.entries(faults)
    .toSorted(([, a = 0], [, b = 0]) => b - a)
    .map(([code, count]) => `${count} × ${code}`);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
