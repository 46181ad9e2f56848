/** Finds the seat free, and books it whoever has booked it meanwhile. */
export const booksASeatTwice = `
CREATE OR REPLACE FUNCTION fair_bench.book(id bigint, seat bigint, guest bigint) RETURNS text
LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
BEGIN
  IF (SELECT s.holder FROM fair_bench.seat AS s WHERE s.id = seat) > 0 THEN RETURN 'held'; END IF;
  UPDATE fair_bench.seat AS s SET holder = guest WHERE s.id = seat;
  INSERT INTO fair_bench.booking VALUES (id, seat);
  RETURN NULL;
END
$function$`;
