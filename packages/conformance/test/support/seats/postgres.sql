CREATE OR REPLACE FUNCTION fair_bench.book(id bigint, seat bigint, guest bigint) RETURNS text
LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
BEGIN
  UPDATE fair_bench.seat AS s SET holder = guest WHERE s.id = seat AND s.holder <= 0;
  IF NOT FOUND THEN RETURN 'held'; END IF;
  INSERT INTO fair_bench.booking VALUES (id, seat);
  RETURN NULL;
END
$function$;
