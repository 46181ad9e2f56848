-- Every row that is written is locked when it is read. What is read without a lock is read first: at the levels of this family that
-- have snapshots it fixes one.
DROP PROCEDURE IF EXISTS fair_bench.deposit_checking;
CREATE PROCEDURE fair_bench.deposit_checking(in_id bigint, amount bigint) MODIFIES SQL DATA
BEGIN
  DECLARE old_balance, old_writes bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  SELECT c.balance, c.writes INTO old_balance, old_writes FROM fair_bench.checking AS c WHERE c.id = in_id FOR UPDATE;
  UPDATE fair_bench.checking AS c SET c.balance = old_balance + amount, c.writes = old_writes + 1 WHERE c.id = in_id;
  COMMIT;
  SELECT old_balance, old_writes;
END;

DROP PROCEDURE IF EXISTS fair_bench.transact_savings;
CREATE PROCEDURE fair_bench.transact_savings(in_id bigint, amount bigint) MODIFIES SQL DATA
BEGIN
  DECLARE old_balance, old_writes bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  SELECT s.balance, s.writes INTO old_balance, old_writes FROM fair_bench.savings AS s WHERE s.id = in_id FOR UPDATE;
  IF old_balance >= amount THEN
    UPDATE fair_bench.savings AS s SET s.balance = old_balance - amount, s.writes = old_writes + 1 WHERE s.id = in_id;
  END IF;
  COMMIT;
  SELECT if(old_balance < amount, 'insufficient-funds', NULL), old_balance, old_writes;
END;

DROP PROCEDURE IF EXISTS fair_bench.write_check;
CREATE PROCEDURE fair_bench.write_check(in_id bigint, amount bigint) MODIFIES SQL DATA
BEGIN
  DECLARE savings_balance, savings_writes, checking_balance, checking_writes bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  SELECT c.balance, c.writes INTO checking_balance, checking_writes FROM fair_bench.checking AS c WHERE c.id = in_id FOR UPDATE;
  -- Without a lock, as SmallBank has it.
  SELECT s.balance, s.writes INTO savings_balance, savings_writes FROM fair_bench.savings AS s WHERE s.id = in_id;
  UPDATE fair_bench.checking AS c SET c.writes = checking_writes + 1,
      c.balance = checking_balance - amount - if(savings_balance + checking_balance < amount, 1, 0)
    WHERE c.id = in_id;
  COMMIT;
  SELECT savings_balance, savings_writes, checking_balance, checking_writes;
END;

DROP PROCEDURE IF EXISTS fair_bench.amalgamate;
CREATE PROCEDURE fair_bench.amalgamate(in_id bigint, in_other bigint) MODIFIES SQL DATA
BEGIN
  DECLARE locked, savings_balance, savings_writes, checking_balance, checking_writes, other_balance, other_writes bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  SELECT c.id INTO locked FROM fair_bench.checking AS c WHERE c.id = least(in_id, in_other) FOR UPDATE;
  SELECT c.id INTO locked FROM fair_bench.checking AS c WHERE c.id = greatest(in_id, in_other) FOR UPDATE;
  SELECT s.balance, s.writes INTO savings_balance, savings_writes FROM fair_bench.savings AS s WHERE s.id = in_id FOR UPDATE;
  SELECT c.balance, c.writes INTO checking_balance, checking_writes FROM fair_bench.checking AS c WHERE c.id = in_id FOR UPDATE;
  SELECT c.balance, c.writes INTO other_balance, other_writes FROM fair_bench.checking AS c WHERE c.id = in_other FOR UPDATE;
  UPDATE fair_bench.savings AS s SET s.balance = 0, s.writes = savings_writes + 1 WHERE s.id = in_id;
  UPDATE fair_bench.checking AS c SET c.balance = 0, c.writes = checking_writes + 1 WHERE c.id = in_id;
  UPDATE fair_bench.checking AS c SET c.balance = other_balance + savings_balance + checking_balance, c.writes = other_writes + 1
    WHERE c.id = in_other;
  COMMIT;
  SELECT savings_balance, savings_writes, checking_balance, checking_writes, other_balance, other_writes;
END;

DROP PROCEDURE IF EXISTS fair_bench.send_payment;
CREATE PROCEDURE fair_bench.send_payment(in_id bigint, in_other bigint, amount bigint) MODIFIES SQL DATA
BEGIN
  DECLARE locked, checking_balance, checking_writes, other_balance, other_writes bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  SELECT c.id INTO locked FROM fair_bench.checking AS c WHERE c.id = least(in_id, in_other) FOR UPDATE;
  SELECT c.id INTO locked FROM fair_bench.checking AS c WHERE c.id = greatest(in_id, in_other) FOR UPDATE;
  SELECT c.balance, c.writes INTO checking_balance, checking_writes FROM fair_bench.checking AS c WHERE c.id = in_id FOR UPDATE;
  SELECT c.balance, c.writes INTO other_balance, other_writes FROM fair_bench.checking AS c WHERE c.id = in_other FOR UPDATE;
  IF checking_balance >= amount THEN
    UPDATE fair_bench.checking AS c SET c.balance = checking_balance - amount, c.writes = checking_writes + 1 WHERE c.id = in_id;
    UPDATE fair_bench.checking AS c SET c.balance = other_balance + amount, c.writes = other_writes + 1 WHERE c.id = in_other;
  END IF;
  COMMIT;
  SELECT if(checking_balance < amount, 'insufficient-funds', NULL), checking_balance, checking_writes, other_balance, other_writes;
END;

-- operation: balance
SELECT s.balance, s.writes, c.balance, c.writes FROM fair_bench.savings AS s JOIN fair_bench.checking AS c ON c.id = s.id WHERE s.id = ?;
-- operation: deposit_checking
CALL fair_bench.deposit_checking(?, ?);
-- operation: transact_savings
CALL fair_bench.transact_savings(?, ?);
-- operation: write_check
CALL fair_bench.write_check(?, ?);
-- operation: amalgamate
CALL fair_bench.amalgamate(?, ?);
-- operation: send_payment
CALL fair_bench.send_payment(?, ?, ?);
