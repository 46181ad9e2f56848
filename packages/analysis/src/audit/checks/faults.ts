import { type Check, pass, sumCounts, warn } from '../evidence.ts';

/** Faults do not void a trial whose state is right, but they are always reported. */
export const checkFaults: Check = ({ result }) => {
  const faults = sumCounts(result.total.faults);
  if (faults === 0) return pass;
  const byCode = Object.entries(result.total.faults)
    .map(([code, count]) => `${count} × ${code}`)
    .join(', ');
  return warn(
    'faults',
    `${faults} operations ended in a fault: ${byCode}`,
    'see the log of the target in the run folder',
  );
};
