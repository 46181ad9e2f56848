-- The oldest job that no other worker is taking, in one statement: it locks the row that it deletes, and skips those that are locked.
CREATE OR REPLACE FUNCTION fair_bench.take() RETURNS TABLE (declined text, id bigint, payload text)
LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM fair_bench.job AS j
    WHERE j.id = (SELECT f.id FROM fair_bench.job AS f ORDER BY f.id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING j.id, j.payload INTO id, payload;
  IF NOT FOUND THEN declined := 'empty'; END IF;
  RETURN NEXT;
END
$function$;

-- operation: enqueue
INSERT INTO fair_bench.job VALUES ($1, $2);
