-- Rows are locked in the order of their ids.
CREATE FUNCTION fair_bench.move(source bigint, target bigint, amount bigint) RETURNS text LANGUAGE plpgsql AS $function$
DECLARE found integer; least bigint;
BEGIN
  PERFORM FROM fair_bench.box AS b WHERE b.id IN (source, target) ORDER BY b.id FOR UPDATE;
  SELECT count(*), min(b.items) FILTER (WHERE b.id = source) INTO found, least
    FROM fair_bench.box AS b WHERE b.id IN (source, target);
  IF found < 2 THEN RETURN 'missing'; END IF;
  IF least < amount THEN RETURN 'too-few'; END IF;
  UPDATE fair_bench.box AS b SET items = b.items + CASE b.id WHEN source THEN -amount ELSE amount END
    WHERE b.id IN (source, target);
  RETURN NULL;
END
$function$;

CREATE FUNCTION fair_bench.take(boxes bigint[], items bigint[]) RETURNS TABLE (declined text, taken bigint, empty boolean)
LANGUAGE plpgsql AS $function$
BEGIN
  IF EXISTS (SELECT FROM unnest(boxes) AS t (id) LEFT JOIN fair_bench.box AS b USING (id) WHERE b.id IS NULL) THEN
    RETURN QUERY SELECT 'missing'::text, NULL::bigint, NULL::boolean;
    RETURN;
  END IF;
  UPDATE fair_bench.box AS b SET items = b.items - t.items FROM unnest(boxes, take.items) AS t (id, items) WHERE b.id = t.id;
  RETURN QUERY SELECT NULL::text, coalesce(sum(t.n), 0)::bigint, count(t.n) = 0 FROM unnest(take.items) AS t (n);
END
$function$;

-- operation: stick
INSERT INTO fair_bench.label VALUES ($1, $2, $3, $4, $5);

-- operation: labels
SELECT * FROM fair_bench.label WHERE box = $1 ORDER BY number;

-- operation: whim
SELECT 'because'::text WHERE $1::bigint > 0;
