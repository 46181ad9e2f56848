-- Reads two items, one after the other, and writes what it read plus 1. No row is locked while it is read, unless the level
-- does it: the isolation level in force alone decides what may happen between.
DROP PROCEDURE IF EXISTS fair_bench.carry_out;
CREATE PROCEDURE fair_bench.carry_out(own bigint, a_id bigint, b_id bigint, writes_a integer, writes_b boolean)
MODIFIES SQL DATA
carry_out: BEGIN
  DECLARE written integer DEFAULT 0;
  DECLARE a_version, a_writer, b_version, b_writer bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  IF a_id = b_id THEN SELECT 'same-item', NULL, NULL, NULL, NULL; LEAVE carry_out; END IF;
  START TRANSACTION;
  SELECT i.version, i.writer INTO a_version, a_writer FROM fair_bench.item AS i WHERE i.id = a_id;
  SELECT i.version, i.writer INTO b_version, b_writer FROM fair_bench.item AS i WHERE i.id = b_id;
  IF a_version IS NULL OR b_version IS NULL THEN
    ROLLBACK;
    SELECT 'missing-item', NULL, NULL, NULL, NULL;
    LEAVE carry_out;
  END IF;
  -- Written in the order of the ids: opposite writes cannot deadlock.
  IF writes_b AND b_id < a_id THEN
    UPDATE fair_bench.item AS i SET i.version = b_version + 1, i.writer = own WHERE i.id = b_id;
  END IF;
  WHILE written < writes_a DO
    SET written = written + 1;
    UPDATE fair_bench.item AS i SET i.version = a_version + written, i.writer = own WHERE i.id = a_id;
  END WHILE;
  IF writes_b AND b_id > a_id THEN
    UPDATE fair_bench.item AS i SET i.version = b_version + 1, i.writer = own WHERE i.id = b_id;
  END IF;
  COMMIT;
  SELECT NULL, a_version, a_writer, b_version, b_writer;
END;

-- operation: read_both
CALL fair_bench.carry_out(-1, ?, ?, 0, false);
-- operation: write_first
CALL fair_bench.carry_out(?, ?, ?, 1, false);
-- operation: write_both
CALL fair_bench.carry_out(?, ?, ?, 1, true);
-- operation: write_twice
CALL fair_bench.carry_out(?, ?, ?, 2, false);
