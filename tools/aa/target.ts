import { discover, listTargets } from '@fair-bench/runner';
import { InputError } from '@fair-bench/contract';

/**
 * The target to measure against itself: the requested one, otherwise the first available database. An InputError with
 * the remedy if there is none.
 */
export async function aaTarget(
  root: string,
  requested: string | undefined,
): Promise<{ readonly target: string; readonly isCalibration: boolean }> {
  const { connectors } = await discover(root);
  const named = (target: string) => connectors.find(({ name }) => name === target);
  const isCalibration = (target: string): boolean => named(target)?.manifest.calibration === true;
  const listings = await listTargets(root);
  if (requested !== undefined) {
    const listing = listings.find(({ target }) => target === requested);
    if (listing?.available === true) return { target: requested, isCalibration: isCalibration(requested) };
    const why = listing === undefined ? '' : `; ${requested}: ${listing.reason}; ${listing.remedy}`;
    const names = listings.filter(({ available }) => available).map(({ target }) => target);
    throw new InputError(`--target: got "${requested}"; accepts one of ${names.join(', ')}${why}`);
  }
  const first = listings.find(({ target, available }) => available && !isCalibration(target));
  if (first !== undefined) return { target: first.target, isCalibration: false };
  const remedies = listings.flatMap(({ target, remedy }) =>
    remedy === undefined ? [] : [`${target}: ${remedy}`],
  );
  throw new InputError(`bench:aa: no database is available here; ${remedies.join('; ')}`);
}
