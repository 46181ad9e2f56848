/** Whatever time it is asked for, it answers with what is known now. */
export const answersWithTheCorrection = `
  CREATE OR REPLACE FUNCTION fair_bench.as_known_at(object bigint, at bigint)
  RETURNS TABLE (code bigint, valid_from bigint, id bigint, recorded bigint, name text, payload text)
  LANGUAGE sql STABLE AS $function$
    SELECT v.code, v.valid_from, v.id, least(v.recorded, at), v.name, v.payload
      FROM fair_bench.version AS v WHERE v.code = object ORDER BY v.valid_from DESC LIMIT 1
  $function$`;
