-- A read, a scan, an update and an insert are one statement each; a read-modify-write locks the record that it reads.
DROP PROCEDURE IF EXISTS fair_bench.set_field;
CREATE PROCEDURE fair_bench.set_field(record bigint, field bigint, value text, counted bigint)
MODIFIES SQL DATA
UPDATE fair_bench.usertable AS u SET u.rmws = u.rmws + counted,
  u.field0 = IF(field = 0, value, u.field0), u.field1 = IF(field = 1, value, u.field1),
  u.field2 = IF(field = 2, value, u.field2), u.field3 = IF(field = 3, value, u.field3),
  u.field4 = IF(field = 4, value, u.field4), u.field5 = IF(field = 5, value, u.field5),
  u.field6 = IF(field = 6, value, u.field6), u.field7 = IF(field = 7, value, u.field7),
  u.field8 = IF(field = 8, value, u.field8), u.field9 = IF(field = 9, value, u.field9)
WHERE u.id = record;

DROP PROCEDURE IF EXISTS fair_bench.rmw;
CREATE PROCEDURE fair_bench.rmw(record bigint, field bigint, value text)
MODIFIES SQL DATA
BEGIN
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  SELECT * FROM fair_bench.usertable WHERE id = record FOR UPDATE;
  CALL fair_bench.set_field(record, field, value, 1);
  COMMIT;
END;

-- operation: read
SELECT * FROM fair_bench.usertable WHERE id = ?;
-- operation: update
CALL fair_bench.set_field(?, ?, ?, 0);
-- operation: insert
INSERT INTO fair_bench.usertable VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- operation: scan
SELECT * FROM fair_bench.usertable WHERE id >= ? ORDER BY id LIMIT ?;
-- operation: rmw
CALL fair_bench.rmw(?, ?, ?);
