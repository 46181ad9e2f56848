/** Replaces the workload's function by one that begins with another check. No row is locked while it is read. */
const transferAfter = (check: string): string => `
CREATE OR REPLACE FUNCTION fair_bench.transfer(source bigint, target bigint, amount bigint) RETURNS text
LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
BEGIN
  ${check}
  IF source < target THEN
    UPDATE fair_bench.account AS a SET balance = a.balance - amount WHERE a.id = source;
    UPDATE fair_bench.account AS a SET balance = a.balance + amount WHERE a.id = target;
  ELSE
    UPDATE fair_bench.account AS a SET balance = a.balance + amount WHERE a.id = target;
    UPDATE fair_bench.account AS a SET balance = a.balance - amount WHERE a.id = source;
  END IF;
  RETURN NULL;
END
$function$`;

/**
 * Reads the balance, checks it, and then takes the money whatever the balance has become: the commonest mistake in
 * transaction code.
 */
export const checksBeforeItLocks = transferAfter(
  `IF (SELECT a.balance FROM fair_bench.account AS a WHERE a.id = source) < amount THEN RETURN 'insufficient-funds'; END IF;`,
);

/** Moves the money without a look at the balance: nothing is ever declined. */
export const checksNothing = transferAfter('');
