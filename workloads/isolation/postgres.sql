-- Reads two items, one after the other, and writes what it read plus 1. No row is locked while it is read: the isolation
-- level in force alone decides what may happen between.
CREATE OR REPLACE FUNCTION fair_bench.carry_out(own bigint, a_id bigint, b_id bigint, writes_a integer, writes_b boolean)
RETURNS TABLE (declined text, a_version bigint, a_writer bigint, b_version bigint, b_writer bigint)
LANGUAGE plpgsql AS $function$
BEGIN
  IF a_id = b_id THEN declined := 'same-item'; RETURN NEXT; RETURN; END IF;
  SELECT i.version, i.writer INTO a_version, a_writer FROM fair_bench.item AS i WHERE i.id = a_id;
  SELECT i.version, i.writer INTO b_version, b_writer FROM fair_bench.item AS i WHERE i.id = b_id;
  IF a_version IS NULL OR b_version IS NULL THEN declined := 'missing-item'; RETURN NEXT; RETURN; END IF;
  -- Written in the order of the ids: opposite writes cannot deadlock.
  IF writes_b AND b_id < a_id THEN
    UPDATE fair_bench.item AS i SET version = b_version + 1, writer = own WHERE i.id = b_id;
  END IF;
  FOR step IN 1 .. writes_a LOOP
    UPDATE fair_bench.item AS i SET version = a_version + step, writer = own WHERE i.id = a_id;
  END LOOP;
  IF writes_b AND b_id > a_id THEN
    UPDATE fair_bench.item AS i SET version = b_version + 1, writer = own WHERE i.id = b_id;
  END IF;
  RETURN NEXT;
END
$function$;

-- operation: read_both
SELECT * FROM fair_bench.carry_out(-1, $1::bigint, $2::bigint, 0, false);
-- operation: write_first
SELECT * FROM fair_bench.carry_out($1::bigint, $2::bigint, $3::bigint, 1, false);
-- operation: write_both
SELECT * FROM fair_bench.carry_out($1::bigint, $2::bigint, $3::bigint, 1, true);
-- operation: write_twice
SELECT * FROM fair_bench.carry_out($1::bigint, $2::bigint, $3::bigint, 2, false);
