-- The server gives each version its id and, in microseconds, the time at which it was recorded. MySQL has no sequences, and the
-- tables no column that counts: the id is a short UUID, of which a server of a high number sets the sign.
DROP FUNCTION IF EXISTS fair_bench.now_us;
CREATE FUNCTION fair_bench.now_us() RETURNS bigint NOT DETERMINISTIC NO SQL
  RETURN CAST(unix_timestamp(sysdate(6)) * 1000000 AS SIGNED);

DROP PROCEDURE IF EXISTS fair_bench.record;
CREATE PROCEDURE fair_bench.record(
  object bigint, begins bigint, title text CHARACTER SET utf8mb4, content text CHARACTER SET utf8mb4, is_correction boolean)
MODIFIES SQL DATA
BEGIN
  DECLARE given bigint DEFAULT uuid_short() & 9223372036854775807;
  DECLARE now_us bigint DEFAULT fair_bench.now_us();
  INSERT INTO fair_bench.version VALUES (object, begins, given, now_us, title, content);
  IF is_correction THEN SELECT NULL, given, now_us; ELSE SELECT given, now_us; END IF;
END;

DROP PROCEDURE IF EXISTS fair_bench.correct;
CREATE PROCEDURE fair_bench.correct(
  object bigint, first bigint, begins bigint, title text CHARACTER SET utf8mb4, content text CHARACTER SET utf8mb4)
MODIFIES SQL DATA
correct: BEGIN
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
  CALL fair_bench.record(object, begins, title, content, true);
END;

-- operation: write
CALL fair_bench.record(?, ?, ?, ?, false);
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
