import type { WorkloadShape } from '@fair-bench/contract';

/** A reducer with this suffix finds its rows by reading the whole table, the one without it by an index. */
const suffix = '_scanning';

/** The operations for which a module has a scanning reducer. */
export function scanningAmong({ operations }: WorkloadShape, reducers: readonly string[]): string[] {
  return operations.map(({ name }) => name).filter((name) => reducers.includes(`${name}${suffix}`));
}

const calledByWorkload = new WeakMap<WorkloadShape, WorkloadShape>();

/** The workload with the names of the called reducers; shared by all sessions. */
export function calledOf(workload: WorkloadShape, scanning: readonly string[] = []): WorkloadShape {
  if (scanning.length === 0) return workload;
  const known = calledByWorkload.get(workload);
  if (known !== undefined) return known;
  const operations = workload.operations.map((operation) =>
    scanning.includes(operation.name) ? { ...operation, name: `${operation.name}${suffix}` } : operation,
  );
  const called = { ...workload, operations };
  calledByWorkload.set(workload, called);
  return called;
}
