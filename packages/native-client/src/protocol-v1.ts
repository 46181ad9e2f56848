import { readFile } from 'node:fs/promises';
import {
  type AuditFinding,
  countSchema,
  type JsonObject,
  jsonObjectSchema,
  type TransferAccess,
} from '@fair-bench/contract';
import {
  type ClientEvent,
  clientEventSchema,
  protocolVersion,
  type TrialPlan,
  type TrialResult,
  trialResultSchema,
} from '@fair-bench/results';
import { auditTransfers, parseTransferParameters } from '@fair-bench/workload-transfer';
import { z } from 'zod';

/**
 * Version 1 of the load-client protocol, which the native client still speaks: it knows the transfer by name and keeps
 * a ledger. Once it speaks version 2, delete this file, every import of it and `packages/workload-transfer/src`.
 */
export function planV1({ workload, logPath, ...plan }: TrialPlan): object {
  const { parameters } = workload;
  return {
    ...plan,
    protocol: 1,
    workload: { name: 'transfer', module: 'transfer', parameters },
    ledgerPath: logPath,
  };
}

const resultV1Schema = z.looseObject({
  window: trialResultSchema.shape.window,
  total: trialResultSchema.shape.total,
  latency: trialResultSchema.shape.latency,
  ledger: z
    .strictObject({
      path: z.string(),
      bytes: countSchema,
      sha256: z.string(),
      inDoubt: z.array(jsonObjectSchema),
    })
    .nullable(),
});

const inDoubtOf = new WeakMap<TrialResult, readonly JsonObject[]>();

/** An event of the native client as one of today's protocol; throws a ZodError for what is none. */
export function eventV1(json: unknown): ClientEvent {
  const event = z.looseObject({ type: z.string() }).parse(json);
  if (event.type !== 'result') return clientEventSchema.parse(event);
  const { ledger, ...result } = resultV1Schema.parse(event['result']);
  const { window, total, latency } = result;
  const log = ledger === null ? null : { path: ledger.path, bytes: ledger.bytes, sha256: ledger.sha256 };
  const operation = {
    name: 'transfer',
    writes: true,
    window: kindsOf(window),
    total: kindsOf(total),
    latency,
  };
  const parsed = trialResultSchema.parse({
    ...result,
    protocol: protocolVersion,
    operations: [operation],
    log,
  });
  inDoubtOf.set(parsed, ledger?.inDoubt ?? []);
  return { type: 'result', result: parsed };
}

/** Compares every balance with the ledger that the native client left. */
export async function auditV1(
  result: TrialResult,
  parameters: JsonObject,
  access: TransferAccess | undefined,
  signal: AbortSignal,
): Promise<AuditFinding> {
  if (result.log === null || access === undefined)
    throw new Error('native load client: nothing can be audited');
  const bytes = await readFile(result.log.path);
  const ledger = { bytes, inDoubt: inDoubtOf.get(result) ?? [] };
  return await auditTransfers(parseTransferParameters(parameters), ledger, access, signal);
}

function kindsOf({ applied, declined, faults }: TrialResult['window']) {
  return { applied, declined: sum(declined), faults: sum(faults) };
}

function sum(counts: Readonly<Record<string, number | undefined>>): number {
  return Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0);
}
