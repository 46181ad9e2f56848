-- The oldest job that no other worker is claiming: its row is locked, and those that are locked are skipped.
DROP PROCEDURE IF EXISTS fair_bench.claim;
CREATE PROCEDURE fair_bench.claim(claim bigint) MODIFIES SQL DATA
BEGIN
  DECLARE taken bigint;
  DECLARE content varchar(100) CHARACTER SET utf8mb4;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  SELECT j.id, j.payload INTO taken, content FROM fair_bench.job AS j ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF taken IS NOT NULL THEN
    DELETE FROM fair_bench.job WHERE id = taken;
    INSERT INTO fair_bench.claimed VALUES (claim, taken);
  END IF;
  COMMIT;
  SELECT if(taken IS NULL, 'empty', NULL), taken, content;
END;
DROP PROCEDURE IF EXISTS fair_bench.finish;
CREATE PROCEDURE fair_bench.finish(claim bigint) MODIFIES SQL DATA
BEGIN
  DELETE FROM fair_bench.claimed WHERE id = claim;
  SELECT if(ROW_COUNT() = 0, 'unknown', NULL);
END;

-- operation: enqueue
INSERT INTO fair_bench.job VALUES (?, ?);
-- operation: claim
CALL fair_bench.claim(?);
-- operation: finish
CALL fair_bench.finish(?);
