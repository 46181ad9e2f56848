-- The transfer as one call. Rows are locked in the order of their ids, by the updates themselves, so that opposite
-- transfers cannot deadlock. Where one of the updates finds no row, nothing has happened yet, and the careful transfer
-- says why; it also finds out when the funds arrived in between. A balance beyond 64 bits is an error (1690), and then nothing
-- has happened; where funds are lacking too, it is declined for that.
-- Returns nothing where it was applied, else the reason.
DROP PROCEDURE IF EXISTS fair_bench.transfer;
CREATE PROCEDURE fair_bench.transfer(source bigint, target bigint, amount bigint) MODIFIES SQL DATA
transfer: BEGIN
  DECLARE changed integer DEFAULT 0;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  IF amount <= 0 THEN SELECT 'non-positive-amount'; LEAVE transfer; END IF;
  IF source = target THEN SELECT 'same-account'; LEAVE transfer; END IF;
  START TRANSACTION;
  IF source < target THEN
    UPDATE fair_bench.account SET balance = balance - amount WHERE id = source AND balance >= amount;
    IF ROW_COUNT() = 1 THEN
      UPDATE fair_bench.account SET balance = balance + amount WHERE id = target;
      SET changed = ROW_COUNT();
    END IF;
  ELSE
    UPDATE fair_bench.account SET balance = balance + amount
      WHERE id = target AND balance <= 9223372036854775807 - amount;
    IF ROW_COUNT() = 1 THEN
      UPDATE fair_bench.account SET balance = balance - amount WHERE id = source AND balance >= amount;
      SET changed = ROW_COUNT();
    END IF;
  END IF;
  IF changed = 1 THEN COMMIT; LEAVE transfer; END IF;
  ROLLBACK;
  CALL fair_bench.transfer_carefully(source, target, amount);
END;

DROP PROCEDURE IF EXISTS fair_bench.transfer_carefully;
CREATE PROCEDURE fair_bench.transfer_carefully(source bigint, target bigint, amount bigint)
MODIFIES SQL DATA
BEGIN
  DECLARE low, high bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  SELECT balance INTO low FROM fair_bench.account WHERE id = least(source, target) FOR UPDATE;
  SELECT balance INTO high FROM fair_bench.account WHERE id = greatest(source, target) FOR UPDATE;
  IF low IS NULL OR high IS NULL THEN
    ROLLBACK;
    SELECT 'missing-account';
  ELSEIF if(source < target, low, high) < amount THEN
    ROLLBACK;
    SELECT 'insufficient-funds';
  ELSE
    UPDATE fair_bench.account SET balance = balance - amount WHERE id = source;
    UPDATE fair_bench.account SET balance = balance + amount WHERE id = target;
    COMMIT;
  END IF;
END;

-- operation: transfer
CALL fair_bench.transfer(?, ?, ?);
