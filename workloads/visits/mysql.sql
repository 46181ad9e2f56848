DROP FUNCTION IF EXISTS fair_bench.uuid_of;
CREATE FUNCTION fair_bench.uuid_of(version char(1), k bigint) RETURNS binary(16) DETERMINISTIC NO SQL
RETURN unhex(concat(if(version = '4', left(sha2(k, 256), 12), lpad(hex(1767225600000 + k), 12, '0')), version,
  substr(sha2(k, 256), 14, 3), 'a', substr(sha2(k, 256), 18, 7), lpad(hex(k), 8, '0')));
DROP PROCEDURE IF EXISTS fair_bench.visit;
CREATE PROCEDURE fair_bench.visit(id bigint, member bigint) MODIFIES SQL DATA
BEGIN
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  UPDATE fair_bench.member AS m SET m.visits = m.visits + 1 WHERE m.id = fair_bench.uuid_of('4', member);
  IF ROW_COUNT() = 0 THEN
    ROLLBACK;
    SELECT 'unknown';
  ELSE
    INSERT INTO fair_bench.visit VALUES (fair_bench.uuid_of('7', id), fair_bench.uuid_of('4', member));
    COMMIT;
    SELECT NULL;
  END IF;
END;
DROP PROCEDURE IF EXISTS fair_bench.look;
CREATE PROCEDURE fair_bench.look(member bigint) READS SQL DATA
SELECT member, m.visits FROM fair_bench.member AS m WHERE m.id = fair_bench.uuid_of('4', member);

-- operation: visit
CALL fair_bench.visit(?, ?);
-- operation: look
CALL fair_bench.look(?);
