import { readFileSync } from 'node:fs';
import { type Outcome, applied, declined, inDoubt } from '@fair-bench/contract';

/** The schema that holds everything of ours in a database. */
export const transferSchema = 'fair_bench';

/** Makes the transfer function; `outcomeOfCode` reads what it returns. The native load client makes the same. */
export const transferFunctionSql = readFileSync(
  new URL('sql/transfer-function.sql', import.meta.url),
  'utf8',
);

/** The prepared call; parameters are source, target and amount as bigint. */
export const transferCallText = `SELECT ${transferSchema}.transfer($1, $2, $3)`;

const outcomesByCode: Readonly<Record<string, Outcome>> = {
  0: applied,
  1: declined('insufficient-funds'),
  2: declined('missing-account'),
  3: declined('same-account'),
  4: declined('non-positive-amount'),
};

/** The outcome for what the function returned, in PostgreSQL's text format. */
export function outcomeOfCode(code: string | null): Outcome {
  // The common case by comparison alone.
  if (code === '0') return applied;
  return (
    (code === null ? undefined : outcomesByCode[code]) ??
    inDoubt('protocol-error', `the transfer function returned ${code}, which has no meaning`)
  );
}
