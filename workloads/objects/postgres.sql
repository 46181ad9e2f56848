-- The server gives each version its id and, in microseconds, the time at which it was recorded.
CREATE SEQUENCE IF NOT EXISTS fair_bench.version_id;
CREATE OR REPLACE FUNCTION fair_bench.record_time() RETURNS bigint LANGUAGE sql VOLATILE
RETURN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
CREATE OR REPLACE FUNCTION fair_bench.correct(bigint, bigint, bigint, text, text)
RETURNS TABLE (declined text, id bigint, recorded bigint) LANGUAGE plpgsql AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM fair_bench.version AS v WHERE v.code = $1 AND v.valid_from = $2) THEN
    declined := 'unknown';
  ELSIF EXISTS (SELECT FROM fair_bench.version AS v WHERE v.code = $1 AND v.valid_from = $3) THEN
    declined := 'duplicate';
  ELSE
    -- A conflict that only the index sees is one of two corrections at once.
    INSERT INTO fair_bench.version AS v
      VALUES ($1, $3, nextval('fair_bench.version_id'), fair_bench.record_time(), $4, $5)
      ON CONFLICT DO NOTHING RETURNING v.id, v.recorded INTO id, recorded;
    IF NOT FOUND THEN declined := 'duplicate'; END IF;
  END IF;
  RETURN NEXT;
END
$function$;
CREATE OR REPLACE FUNCTION fair_bench.as_known_at(object bigint, at bigint)
RETURNS TABLE (code bigint, valid_from bigint, id bigint, recorded bigint, name text, payload text)
LANGUAGE sql STABLE AS $function$
  SELECT * FROM fair_bench.version AS v WHERE v.code = object AND v.recorded <= at ORDER BY v.valid_from DESC LIMIT 1
$function$;

-- operation: write
INSERT INTO fair_bench.version
  VALUES ($1::bigint, $2::bigint, nextval('fair_bench.version_id'), fair_bench.record_time(), $3::text, $4::text)
  RETURNING id, recorded;
-- operation: by_code
SELECT * FROM fair_bench.version WHERE code = $1::bigint ORDER BY valid_from DESC LIMIT 1;
-- operation: by_id
SELECT * FROM fair_bench.version WHERE id = $1::bigint;
-- operation: all
SELECT * FROM fair_bench.version WHERE code >= $1::bigint ORDER BY code, valid_from LIMIT $2::bigint;
