import { applied, declined, inDoubt } from '@fair-bench/contract';
import type { Outcome } from '@fair-bench/contract';

/** The schema that holds everything of ours in a database. */
export const transferSchema = 'fair_bench';

/**
 * The transfer as one call: a code that `outcomeOfCode` reads. Rows are locked in the order of their ids, by
 * the updates themselves, so that opposite transfers cannot deadlock. The first update is taken back where
 * the second finds no row, which costs only those transfers that are declined. A balance beyond 64 bits is an
 * error (22003), and then nothing has happened; where funds are lacking too, it is declined for that.
 */
export const transferFunctionSql = `
CREATE OR REPLACE FUNCTION ${transferSchema}.transfer(source bigint, target bigint, amount bigint) RETURNS smallint
LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
BEGIN
  IF amount <= 0 THEN RETURN 4; END IF;
  IF source = target THEN RETURN 3; END IF;
  IF source < target THEN
    UPDATE ${transferSchema}.accounts AS a SET balance = a.balance - amount WHERE a.id = source AND a.balance >= amount;
    IF FOUND THEN
      UPDATE ${transferSchema}.accounts AS a SET balance = a.balance + amount WHERE a.id = target;
      IF FOUND THEN RETURN 0; END IF;
      UPDATE ${transferSchema}.accounts AS a SET balance = a.balance + amount WHERE a.id = source;
    END IF;
  ELSE
    UPDATE ${transferSchema}.accounts AS a SET balance = a.balance + amount
      WHERE a.id = target AND a.balance <= 9223372036854775807 - amount;
    IF FOUND THEN
      UPDATE ${transferSchema}.accounts AS a SET balance = a.balance - amount WHERE a.id = source AND a.balance >= amount;
      IF FOUND THEN RETURN 0; END IF;
      UPDATE ${transferSchema}.accounts AS a SET balance = a.balance - amount WHERE a.id = target;
    ELSIF EXISTS (SELECT FROM ${transferSchema}.accounts AS a WHERE a.id = target)
      AND EXISTS (SELECT FROM ${transferSchema}.accounts AS a WHERE a.id = source AND a.balance >= amount) THEN
      RAISE EXCEPTION USING ERRCODE = '22003', MESSAGE = 'the balance of the target would be out of range';
    END IF;
  END IF;
  IF (SELECT count(*) FROM ${transferSchema}.accounts AS a WHERE a.id IN (source, target)) = 2 THEN RETURN 1; END IF;
  RETURN 2;
END
$function$`;

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
