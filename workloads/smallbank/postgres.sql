-- Plain reads, then writes of what was computed from them where only one row is written: the isolation in force alone decides what may
-- happen between. Where two rows are written they are locked in the order of their keys, and every row that is written is locked when
-- it is read: at read committed its write would else be lost.
CREATE OR REPLACE FUNCTION fair_bench.balance(in_id bigint)
RETURNS TABLE (savings_balance bigint, savings_writes bigint, checking_balance bigint, checking_writes bigint) LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT s.balance, s.writes, c.balance, c.writes FROM fair_bench.savings AS s JOIN fair_bench.checking AS c ON c.id = s.id WHERE s.id = in_id;
END;

CREATE OR REPLACE FUNCTION fair_bench.deposit_checking(in_id bigint, amount bigint)
RETURNS TABLE (checking_balance bigint, checking_writes bigint) LANGUAGE sql
BEGIN ATOMIC
  UPDATE fair_bench.checking AS c SET balance = c.balance + amount, writes = c.writes + 1 WHERE c.id = in_id
    RETURNING c.balance - amount, c.writes - 1;
END;

CREATE OR REPLACE FUNCTION fair_bench.transact_savings(in_id bigint, amount bigint)
RETURNS TABLE (declined text, savings_balance bigint, savings_writes bigint) LANGUAGE plpgsql AS $function$
BEGIN
  SELECT s.balance, s.writes INTO savings_balance, savings_writes FROM fair_bench.savings AS s WHERE s.id = in_id FOR UPDATE;
  IF savings_balance < amount THEN
    declined := 'insufficient-funds';
  ELSE
    UPDATE fair_bench.savings AS s SET balance = savings_balance - amount, writes = savings_writes + 1 WHERE s.id = in_id;
  END IF;
  RETURN NEXT;
END
$function$;

-- The savings are read without a lock, as SmallBank has it.
CREATE OR REPLACE FUNCTION fair_bench.write_check(in_id bigint, amount bigint)
RETURNS TABLE (savings_balance bigint, savings_writes bigint, checking_balance bigint, checking_writes bigint)
LANGUAGE plpgsql AS $function$
BEGIN
  SELECT s.balance, s.writes INTO savings_balance, savings_writes FROM fair_bench.savings AS s WHERE s.id = in_id;
  SELECT c.balance, c.writes INTO checking_balance, checking_writes FROM fair_bench.checking AS c WHERE c.id = in_id FOR UPDATE;
  UPDATE fair_bench.checking AS c SET writes = checking_writes + 1,
      balance = checking_balance - amount - CASE WHEN savings_balance + checking_balance < amount THEN 1 ELSE 0 END
    WHERE c.id = in_id;
  RETURN NEXT;
END
$function$;

CREATE OR REPLACE FUNCTION fair_bench.amalgamate(in_id bigint, in_other bigint)
RETURNS TABLE (savings_balance bigint, savings_writes bigint, checking_balance bigint, checking_writes bigint,
  other_balance bigint, other_writes bigint)
LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM FROM fair_bench.checking AS c WHERE c.id IN (in_id, in_other) ORDER BY c.id FOR UPDATE;
  SELECT s.balance, s.writes INTO savings_balance, savings_writes FROM fair_bench.savings AS s WHERE s.id = in_id FOR UPDATE;
  SELECT c.balance, c.writes INTO checking_balance, checking_writes FROM fair_bench.checking AS c WHERE c.id = in_id;
  SELECT c.balance, c.writes INTO other_balance, other_writes FROM fair_bench.checking AS c WHERE c.id = in_other;
  UPDATE fair_bench.savings AS s SET balance = 0, writes = savings_writes + 1 WHERE s.id = in_id;
  UPDATE fair_bench.checking AS c SET balance = 0, writes = checking_writes + 1 WHERE c.id = in_id;
  UPDATE fair_bench.checking AS c SET balance = other_balance + savings_balance + checking_balance, writes = other_writes + 1
    WHERE c.id = in_other;
  RETURN NEXT;
END
$function$;

CREATE OR REPLACE FUNCTION fair_bench.send_payment(in_id bigint, in_other bigint, amount bigint)
RETURNS TABLE (declined text, checking_balance bigint, checking_writes bigint, other_balance bigint, other_writes bigint)
LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM FROM fair_bench.checking AS c WHERE c.id IN (in_id, in_other) ORDER BY c.id FOR UPDATE;
  SELECT c.balance, c.writes INTO checking_balance, checking_writes FROM fair_bench.checking AS c WHERE c.id = in_id;
  SELECT c.balance, c.writes INTO other_balance, other_writes FROM fair_bench.checking AS c WHERE c.id = in_other;
  IF checking_balance < amount THEN
    declined := 'insufficient-funds';
  ELSE
    UPDATE fair_bench.checking AS c SET balance = checking_balance - amount, writes = checking_writes + 1 WHERE c.id = in_id;
    UPDATE fair_bench.checking AS c SET balance = other_balance + amount, writes = other_writes + 1 WHERE c.id = in_other;
  END IF;
  RETURN NEXT;
END
$function$;
