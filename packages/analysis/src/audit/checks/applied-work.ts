import { type Check, pass, sumCounts, fail } from '../evidence.ts';

/** A trial in which nothing was applied measured nothing. */
export const checkAppliedWork: Check = ({ result }) => {
  if (result.window.applied > 0) return pass;
  const faults = Object.entries(result.window.faults).map(([code, count]) => `${count} × ${code}`);
  const declined = sumCounts(result.window.declined);
  const seen = [...faults, ...(declined > 0 ? [`${declined} declined`] : [])].join(', ');
  return fail(
    // Errors and declines come from the target, silence may come from the machine.
    seen === '' ? 'no-applied-work' : 'only-refused-work',
    `no operation was applied in the window${seen === '' ? '' : `: ${seen}`}`,
    'see the log of the target in the run folder',
  );
};
