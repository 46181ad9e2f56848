DROP PROCEDURE IF EXISTS fair_bench.delete_row;
CREATE PROCEDURE fair_bench.delete_row(in_id bigint) MODIFIES SQL DATA
BEGIN
  DECLARE gone integer;
  DELETE FROM fair_bench.entry WHERE id = in_id;
  SET gone = ROW_COUNT();
  IF gone = 0 THEN SELECT 'unknown'; END IF;
END;

-- operation: point
SELECT * FROM fair_bench.sbtest WHERE id = ?;
-- operation: range
SELECT * FROM fair_bench.sbtest WHERE id >= ? ORDER BY id LIMIT ?;
-- operation: update_index
UPDATE fair_bench.sbtest SET k = k + ? WHERE id = ?;
-- operation: update_text
UPDATE fair_bench.sbtest SET c = ? WHERE id = ?;
-- operation: insert_row
INSERT INTO fair_bench.entry VALUES (?, ?, ?, ?);
-- operation: delete_row
CALL fair_bench.delete_row(?);
