/**
 * Reads the balance, checks it, and then takes the money whatever the balance has become: the commonest mistake in
 * transaction code. No row is locked while it is read, so that others wait less.
 */
export const checksBeforeItLocks = `
CREATE OR REPLACE FUNCTION fair_bench.transfer(source bigint, target bigint, amount bigint) RETURNS text
LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
BEGIN
  IF (SELECT a.balance FROM fair_bench.account AS a WHERE a.id = source) < amount THEN RETURN 'insufficient-funds'; END IF;
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
