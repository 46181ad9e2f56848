import { applied, type BatchedOperation, inDoubt, type OperationOutcome } from '@fair-bench/contract';
import type { OperationCodec } from './codec.ts';
import { appliedText, decodeOutcome, encodeOutcome, outcomeOf } from './outcome.ts';

/** The path of a batch: no operation has such a name. */
export const batchPath = '/.batch';

/** The longest body of a batch, whatever its operations. */
export const batchBytesMax = 64 * 2 ** 20;

/** The body of a batch: an array of operations, each its number and its arguments. */
export function encodeBatch(
  codecs: readonly OperationCodec[],
  operations: readonly BatchedOperation[],
): string {
  const all = operations.map(({ operation, values }) => {
    const codec = codecs[operation];
    if (codec === undefined) throw new RangeError(`the workload has no operation ${operation}`);
    return `[${operation},${codec.encode(values)}]`;
  });
  return `[${all.join(',')}]`;
}

/** The JSON schema of that body. */
export function batchSchema(codecs: readonly OperationCodec[]): Readonly<Record<string, unknown>> {
  const operation = ({ bodySchema }: OperationCodec, number: number) => ({
    type: 'array',
    minItems: 2,
    maxItems: 2,
    items: [{ const: number }, bodySchema],
  });
  return { type: 'array', minItems: 1, items: { anyOf: codecs.map(operation) } };
}

/** The body of its reply. */
export function encodeOutcomes(outcomes: readonly OperationOutcome[]): string {
  return `[${outcomes.map(encodeOutcome).join(',')}]`;
}

/** The bytes where all were applied and return nothing, by their number. */
const allApplied = new Map<number, Buffer>();

/**
 * Reads the reply to a batch: an outcome for each operation, or the fault of all. An invalid reply leaves them all in
 * doubt.
 */
export function decodeBatch(
  codecs: readonly OperationCodec[],
  operations: readonly BatchedOperation[],
  status: number,
  body: Buffer,
): readonly OperationOutcome[] {
  const { length } = operations;
  const expected = allApplied.get(length) ?? bytesOfApplied(length);
  const returnsNothing = ({ operation }: BatchedOperation): boolean => codecs[operation]?.returned === null;
  if (body.equals(expected) && operations.every(returnsNothing)) return operations.map(() => applied);
  const [first] = operations;
  const ofFirst = codecs[first?.operation ?? 0];
  const forAll = (outcome: OperationOutcome): readonly OperationOutcome[] => operations.map(() => outcome);
  const broken = (what: string): readonly OperationOutcome[] =>
    forAll(inDoubt('protocol-error', `status ${status} with ${what}: ${body.toString('utf8', 0, 200)}`));
  if (status !== 200) {
    const fault = ofFirst === undefined ? null : decodeOutcome(ofFirst, status, body);
    return fault?.kind === 'fault' ? forAll(fault) : broken('a body that is no fault');
  }
  let values: unknown;
  try {
    values = JSON.parse(body.toString());
  } catch {
    return broken('a body that is not JSON');
  }
  if (!Array.isArray(values) || values.length !== length)
    return broken(`no outcomes of ${length} operations`);
  return operations.map(({ operation }, place) => {
    const codec = codecs[operation];
    return codec === undefined ? inDoubt('internal', 'no such operation') : outcomeOf(codec, values[place]);
  });
}

function bytesOfApplied(length: number): Buffer {
  const bytes = Buffer.from(`[${Array.from({ length }, () => appliedText).join(',')}]`);
  allApplied.set(length, bytes);
  return bytes;
}
