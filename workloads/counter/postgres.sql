-- Every operation is one statement, prepared once, and a transaction of its own.
CREATE OR REPLACE FUNCTION fair_bench.increment(counter bigint) RETURNS text LANGUAGE plpgsql AS $function$
BEGIN
  UPDATE fair_bench.counter AS c SET value = c.value + 1 WHERE c.id = increment.counter;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION fair_bench.message(id bigint, sender bigint, channel bigint, body text) RETURNS text
LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO fair_bench.message VALUES (id, sender, channel, body);
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION fair_bench.counter(counter bigint) RETURNS TABLE (id bigint, value bigint)
LANGUAGE sql STABLE AS 'SELECT c.id, c.value FROM fair_bench.counter AS c WHERE c.id = $1';

CREATE OR REPLACE FUNCTION fair_bench.messages(newest bigint)
RETURNS TABLE (id bigint, sender bigint, channel bigint, body text)
LANGUAGE sql STABLE AS
  'SELECT m.id, m.sender, m.channel, m.body FROM fair_bench.message AS m ORDER BY m.id DESC LIMIT $1';
