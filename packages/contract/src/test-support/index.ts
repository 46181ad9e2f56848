/**
 * `npm test` is what a person waits for. Where tests differ from each other only in the workload or in the sample, it has some
 * of them; `npm run test:all` and `npm run test:only` have all.
 */
export const everyTest = process.env['TESTS_OF_A_KIND'] !== 'some';

/** All of these, or in `npm test` those that `some` chooses. */
export function chosen<One>(all: readonly One[], some: (one: One, place: number) => boolean): One[] {
  return all.filter((one, place) => everyTest || some(one, place));
}

/**
 * The workloads on which a route's trials are timed in `npm test`: the first, and another one that the route's name chooses.
 * Not every workload is timed on a real server there.
 */
export function timedOn(route: string, workloads: readonly string[]): ReadonlySet<string> {
  const [first, ...all] = workloads;
  // Ten warehouses' rows for a trial of a quarter of a second: its own tests time it.
  const others = all.filter((one) => one !== 'tpcc');
  const sum = Buffer.from(route).reduce((total, byte) => total + byte, 0);
  const other = others[sum % Math.max(1, others.length)];
  return new Set(chosen(workloads, (one) => one === first || one === other));
}

/** Registers tests that `npm test` does not have. */
export function inTestAll(register: () => void): void {
  if (everyTest) register();
}
