import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  applied,
  declined,
  declineReasonSchema,
  type ConnectSession,
  type ControlPlane,
  type DataPlane,
  type Deployment,
  inDoubt,
  jsonObjectSchema,
  type ClientModule,
  type Outcome,
  type Row,
  type Session,
  type TargetWorkload,
  type Transfer,
  type TransferAccess,
} from '@fair-bench/contract';
import { defaultParameters, resolveWorkload, shapeOf } from '@fair-bench/workload';
import transfer from '@fair-bench/workloads/transfer';

/** The transfer, as a target is started for it. */
export const transferTarget: TargetWorkload = {
  shape: shapeOf(resolveWorkload(transfer, defaultParameters(transfer))),
  description: jsonObjectSchema.parse(transfer),
  folder: dirname(fileURLToPath(import.meta.resolve('@fair-bench/workloads/transfer'))),
};

/** A deployment's accounts, by its tables where it has them. */
export function transferAccessOf({ tables, workloads }: Deployment): TransferAccess | undefined {
  return tables === undefined ? workloads.transfer : transferAccessBy(tables);
}

/** The accounts of tables that are the transfer's. */
export function transferAccessBy(tables: ControlPlane): TransferAccess {
  return {
    async seed({ accounts, initialBalance }, signal) {
      await tables.clear(0, signal);
      const rows = Array.from({ length: accounts }, (_value, id): Row => [id, initialBalance]);
      await tables.load(0, pageOf(rows), signal);
    },
    async *balances(signal) {
      for await (const rows of tables.scan(0, signal)) {
        yield { ids: rows.map(([id]) => Number(id)), balances: rows.map((row) => BigInt(String(row[1]))) };
      }
    },
  };
}

async function* pageOf(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield await Promise.resolve(rows);
}

/** A client module for any workload, as one that opens sessions of the transfer. */
export function transferSessions(client: ClientModule): ConnectSession<Transfer> {
  return async (endpoint, context) =>
    sessionOver(await client.connect(endpoint, { ...context, workload: transferTarget.shape }));
}

/** A session of the transfer by a data plane. */
export function sessionOver(plane: DataPlane): Session<Transfer> {
  return {
    async execute({ source, target, amount }): Promise<Outcome> {
      const outcome = await plane.execute(0, [source, target, amount]);
      if (outcome.kind === 'applied')
        return outcome.retries === 0 ? applied : { ...applied, retries: outcome.retries };
      if (outcome.kind === 'fault') return outcome;
      const reason = declineReasonSchema.safeParse(outcome.reason);
      if (!reason.success) return inDoubt('protocol-error', `declined for ${outcome.reason}`);
      return declined(reason.data, outcome.retries);
    },
    close: () => plane.close(),
  };
}
