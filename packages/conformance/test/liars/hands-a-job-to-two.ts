/** Finds the oldest job without locking it: whoever finds it too gets it too, and only one of them deletes it. */
export const handsAJobToTwo = `
CREATE OR REPLACE FUNCTION fair_bench.claim(claim bigint) RETURNS TABLE (declined text, id bigint, payload text)
LANGUAGE plpgsql AS $function$
BEGIN
  SELECT f.id, f.payload INTO id, payload FROM fair_bench.job AS f ORDER BY f.id LIMIT 1;
  IF NOT FOUND THEN
    declined := 'empty';
  ELSE
    -- Each is a transaction that writes, so that no count betrays it.
    PERFORM pg_current_xact_id();
    DELETE FROM fair_bench.job AS j WHERE j.id = claim.id;
    INSERT INTO fair_bench.claimed VALUES (claim, id);
  END IF;
  RETURN NEXT;
END
$function$`;
