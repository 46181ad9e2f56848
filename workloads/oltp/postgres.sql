CREATE OR REPLACE FUNCTION fair_bench.delete_row(in_id bigint) RETURNS text LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM fair_bench.entry AS e WHERE e.id = in_id;
  RETURN CASE WHEN FOUND THEN NULL ELSE 'unknown' END;
END
$function$;

-- operation: point
SELECT * FROM fair_bench.sbtest WHERE id = $1;
-- operation: range
SELECT * FROM fair_bench.sbtest WHERE id >= $1 ORDER BY id LIMIT $2;
-- operation: update_index
UPDATE fair_bench.sbtest SET k = k + $1 WHERE id = $2;
-- operation: update_text
UPDATE fair_bench.sbtest SET c = $1 WHERE id = $2;
-- operation: insert_row
INSERT INTO fair_bench.entry VALUES ($1, $2, $3, $4);
