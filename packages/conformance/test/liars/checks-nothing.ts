/** Moves the money without a look at the balance: nothing is ever declined. */
export const checksNothing = `
CREATE OR REPLACE FUNCTION fair_bench.transfer(source bigint, target bigint, amount bigint) RETURNS text
LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
BEGIN
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
