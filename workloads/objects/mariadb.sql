-- The server gives each version its id and, in microseconds, the time at which it was recorded.
-- A sequence writes once for so many numbers, in a transaction of its own.
CREATE OR REPLACE SEQUENCE fair_bench.version_id CACHE 1000000;
CREATE OR REPLACE PROCEDURE fair_bench.correct(
  object bigint, first bigint, begins bigint, title text CHARACTER SET utf8mb4, content text CHARACTER SET utf8mb4)
MODIFIES SQL DATA
correct: BEGIN
  DECLARE given, now_us bigint;
  DECLARE EXIT HANDLER FOR 1062 SELECT 'duplicate', NULL, NULL;
  IF NOT EXISTS (SELECT 1 FROM fair_bench.version AS v WHERE v.code = object AND v.valid_from = first) THEN
    SELECT 'unknown', NULL, NULL;
    LEAVE correct;
  END IF;
  -- A conflict that only the index sees is one of two corrections at once.
  IF EXISTS (SELECT 1 FROM fair_bench.version AS v WHERE v.code = object AND v.valid_from = begins) THEN
    SELECT 'duplicate', NULL, NULL;
    LEAVE correct;
  END IF;
  SET given = NEXT VALUE FOR fair_bench.version_id;
  SET now_us = CAST(unix_timestamp(sysdate(6)) * 1000000 AS SIGNED);
  INSERT INTO fair_bench.version VALUES (object, begins, given, now_us, title, content);
  SELECT NULL, given, now_us;
END;

-- operation: write
INSERT INTO fair_bench.version
  VALUES (?, ?, NEXT VALUE FOR fair_bench.version_id, CAST(unix_timestamp(sysdate(6)) * 1000000 AS SIGNED), ?, ?)
  RETURNING id, recorded;
-- operation: correct
CALL fair_bench.correct(?, ?, ?, ?, ?);
-- operation: by_code
SELECT * FROM fair_bench.version WHERE code = ? ORDER BY valid_from DESC LIMIT 1;
-- operation: by_id
SELECT * FROM fair_bench.version WHERE id = ?;
-- operation: as_known_at
SELECT * FROM fair_bench.version WHERE code = ? AND recorded <= ? ORDER BY valid_from DESC LIMIT 1;
-- operation: all
SELECT * FROM fair_bench.version WHERE code >= ? ORDER BY code, valid_from LIMIT ?;
