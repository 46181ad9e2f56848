-- The oldest job that no other worker is claiming: it locks the row that it deletes, and skips those that are locked.
CREATE OR REPLACE FUNCTION fair_bench.claim(claim bigint) RETURNS TABLE (declined text, id bigint, payload text)
LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM fair_bench.job AS j
    WHERE j.id = (SELECT f.id FROM fair_bench.job AS f ORDER BY f.id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING j.id, j.payload INTO id, payload;
  IF FOUND THEN
    INSERT INTO fair_bench.claimed VALUES (claim, id);
  ELSE
    declined := 'empty';
  END IF;
  RETURN NEXT;
END
$function$;
CREATE OR REPLACE FUNCTION fair_bench.finish(claim bigint) RETURNS text LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM fair_bench.claimed AS c WHERE c.id = claim;
  RETURN CASE WHEN FOUND THEN NULL ELSE 'unknown' END;
END
$function$;

-- operation: enqueue
INSERT INTO fair_bench.job VALUES ($1, $2);
