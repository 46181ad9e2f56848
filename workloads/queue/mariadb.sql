-- The oldest job that no other worker is taking: its row is locked, and those that are locked are skipped.
CREATE OR REPLACE PROCEDURE fair_bench.take() MODIFIES SQL DATA
BEGIN
  DECLARE taken bigint;
  DECLARE content varchar(100) CHARACTER SET utf8mb4;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  SELECT j.id, j.payload INTO taken, content FROM fair_bench.job AS j ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED;
  DELETE FROM fair_bench.job WHERE id = taken;
  COMMIT;
  SELECT if(taken IS NULL, 'empty', NULL), taken, content;
END;

-- operation: enqueue
INSERT INTO fair_bench.job VALUES (?, ?);
-- operation: take
CALL fair_bench.take();
