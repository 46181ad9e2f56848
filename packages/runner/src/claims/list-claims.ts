import type { Claim } from '@fair-bench/results';
import { listTargets } from '../list/index.ts';
import { splitTarget } from '../settings/grammar.ts';
import { claimNames, loadClaim } from './load.ts';

/** Prints every claim: how much of it can be measured here, and the command that does it. */
export async function printClaims(root: string, command: string): Promise<void> {
  const listings = await listTargets(root);
  const available = new Set(listings.flatMap((one) => (one.available ? [one.target] : [])));
  const claims = await Promise.all((await claimNames(root)).map((name) => loadClaim(root, name)));
  const lines = claims.map(
    (claim) => `${command} --claim ${claim.name}\n  ${measurableOf(claim, available)}`,
  );
  process.stdout.write(`Published claims:\n\n${lines.join('\n')}\n\n`);
}

function measurableOf({ statements, figures }: Claim, available: ReadonlySet<string>): string {
  const nameOf = (id: string): string | null => {
    const target = figures.find((figure) => figure.id === id)?.target ?? null;
    return target === null ? null : (splitTarget(target)?.name ?? target);
  };
  const ends = statements.map(({ from, to }) => [nameOf(from), nameOf(to)]);
  const isHere = (name: string | null): boolean => name !== null && available.has(name);
  const whole = ends.filter((pair) => pair.every(isHere)).length;
  const lacking = new Set(ends.flat().filter((name) => name !== null && !available.has(name)));
  const lacks = lacking.size === 0 ? '' : `; unavailable: ${[...lacking].join(', ')} (npm run list says why)`;
  return `${whole} of ${statements.length} statements can be measured here${lacks}`;
}
