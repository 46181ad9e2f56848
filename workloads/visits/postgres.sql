-- The UUID of a key: digits of a hash in place of random ones, and the key in the last eight (packages/contract/src/uuid.ts).
CREATE OR REPLACE FUNCTION fair_bench.uuid_of(version text, key bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
  SELECT (CASE version WHEN '4' THEN substr(m, 1, 12) ELSE lpad(to_hex(1767225600000 + key), 12, '0') END || version
    || substr(m, 14, 3) || 'a' || substr(m, 18, 7) || lpad(to_hex(key), 8, '0'))::uuid
  FROM encode(sha256(key::text::bytea), 'hex') AS m;
END;

CREATE OR REPLACE FUNCTION fair_bench.visit(id bigint, member bigint) RETURNS text LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
BEGIN
  UPDATE fair_bench.member AS m SET visits = m.visits + 1 WHERE m.id = fair_bench.uuid_of('4', member);
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  INSERT INTO fair_bench.visit VALUES (fair_bench.uuid_of('7', id), fair_bench.uuid_of('4', member));
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION fair_bench.look(member bigint) RETURNS TABLE (id bigint, visits bigint) LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT member, m.visits FROM fair_bench.member AS m WHERE m.id = fair_bench.uuid_of('4', member);
END;
