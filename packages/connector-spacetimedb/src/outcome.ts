import { SenderError } from 'spacetimedb';
import { z } from 'zod';
import {
  applied,
  declinesOf,
  inDoubt,
  type OperationOutcome,
  refused,
  type Row,
  messageOf,
} from '@fair-bench/contract';
import type { OperationCall } from './module-bindings.ts';

/** How the replies to one operation's calls are read. */
export interface ReadOutcome {
  /** What a call resolved with. */
  readonly returned: (value: unknown) => OperationOutcome;
  /** The message of a refusal by the module. */
  readonly refused: (text: string) => OperationOutcome;
  /** The error of a rejected call. */
  readonly rejected: (error: unknown) => OperationOutcome;
}

const resultSchema = z.union([
  z.object({ ok: z.unknown() }).transform(({ ok }) => ({ value: ok })),
  z.object({ err: z.string() }).transform(({ err }) => ({ refusal: err })),
]);

/** A module's error is `declined:` with a reason of the workload, or a fault; neither changed anything. */
export function outcomesOf({
  operation,
  readRows,
}: Pick<OperationCall, 'operation' | 'readRows'>): ReadOutcome {
  const declines = declinesOf(operation);
  const refusal = (text: string): OperationOutcome =>
    declines.get(/^declined:(.*)$/s.exec(text)?.[1]) ??
    refused('server-error', `spacetimedb: the module said ${text}`);
  const replyOf = (rows: readonly Row[]): OperationOutcome =>
    operation.returns.kind === 'fields'
      ? { kind: 'applied', reply: { kind: 'fields', fields: rows[0] ?? [] }, retries: 0 }
      : { kind: 'applied', reply: { kind: 'rows', rows }, retries: 0 };
  return {
    returned(value) {
      if (readRows === null) return applied;
      const result = resultSchema.parse(value);
      return 'refusal' in result ? refusal(result.refusal) : replyOf(readRows(result.value));
    },
    refused: refusal,
    // Any other message of the server leaves the transaction in doubt.
    rejected: (error) =>
      error instanceof SenderError
        ? refusal(error.message)
        : inDoubt('server-error', `spacetimedb: ${messageOf(error)}`),
  };
}
