-- The transfer as one call. Rows are locked in the order of their ids, by the updates themselves, so that
-- opposite transfers cannot deadlock. The first update is taken back where the second finds no row, which costs
-- only those transfers that are declined. A balance beyond 64 bits is an error (22003), and then nothing has
-- happened; where funds are lacking too, it is declined for that.
-- Returns null where it was applied, else the reason.
CREATE OR REPLACE FUNCTION fair_bench.transfer(source bigint, target bigint, amount bigint) RETURNS text
LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
BEGIN
  IF amount <= 0 THEN RETURN 'non-positive-amount'; END IF;
  IF source = target THEN RETURN 'same-account'; END IF;
  IF source < target THEN
    UPDATE fair_bench.account AS a SET balance = a.balance - amount WHERE a.id = source AND a.balance >= amount;
    IF FOUND THEN
      UPDATE fair_bench.account AS a SET balance = a.balance + amount WHERE a.id = target;
      IF FOUND THEN RETURN NULL; END IF;
      UPDATE fair_bench.account AS a SET balance = a.balance + amount WHERE a.id = source;
    END IF;
  ELSE
    UPDATE fair_bench.account AS a SET balance = a.balance + amount
      WHERE a.id = target AND a.balance <= 9223372036854775807 - amount;
    IF FOUND THEN
      UPDATE fair_bench.account AS a SET balance = a.balance - amount WHERE a.id = source AND a.balance >= amount;
      IF FOUND THEN RETURN NULL; END IF;
      UPDATE fair_bench.account AS a SET balance = a.balance - amount WHERE a.id = target;
    ELSIF EXISTS (SELECT FROM fair_bench.account AS a WHERE a.id = target)
      AND EXISTS (SELECT FROM fair_bench.account AS a WHERE a.id = source AND a.balance >= amount) THEN
      RAISE EXCEPTION USING ERRCODE = '22003', MESSAGE = 'the balance of the target would be out of range';
    END IF;
  END IF;
  IF (SELECT count(*) FROM fair_bench.account AS a WHERE a.id IN (source, target)) = 2 THEN RETURN 'insufficient-funds'; END IF;
  RETURN 'missing-account';
END
$function$;
