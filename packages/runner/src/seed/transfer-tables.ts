import type { ControlPlane, Deployment, Row } from '@fair-bench/contract';
import type { Workload } from '@fair-bench/workload';

/**
 * The tables of a deployment: its own, or those of one that knows the transfer alone, whose dataset replaces the
 * table's rows. The second half goes with the last `workloads.transfer`: then `deployment.tables` is all there is.
 */
export function tablesOf(
  deployment: Pick<Deployment, 'tables' | 'workloads'>,
  workload: Workload,
  target: string,
): ControlPlane {
  const { tables, workloads } = deployment;
  if (tables !== undefined) return tables;
  const { name } = workload.description;
  const access = name === 'transfer' ? workloads.transfer : undefined;
  if (access === undefined) throw new Error(`${target}: has no tables for the workload ${name}`);
  const initial = workload.tables[0]?.columns[1]?.seed;
  return {
    create: () => Promise.resolve(),
    install: () => Promise.resolve(),
    clear: async (_table, signal) => await access.seed({ accounts: 0, initialBalance: 0n }, signal),
    read: () => Promise.reject(new Error(`${target}: reads no rows by their keys`)),
    async load(_table, _rows, signal) {
      const initialBalance = initial?.kind === 'constant' ? BigInt(initial.value) : 0n;
      await access.seed({ accounts: workload.tables[0]?.rows ?? 0, initialBalance }, signal);
    },
    async *scan(_table, signal) {
      for await (const { ids, balances } of access.balances(signal)) {
        yield ids.map((id, index): Row => [id, balances[index] ?? 0n]);
      }
    },
  };
}
