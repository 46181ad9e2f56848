-- A read, a scan, an update and an insert are one statement each; a read-modify-write locks the record that it reads.
CREATE OR REPLACE FUNCTION fair_bench.rmw(record bigint, field bigint, value text)
RETURNS TABLE (id bigint, rmws bigint, field0 text, field1 text, field2 text, field3 text, field4 text,
  field5 text, field6 text, field7 text, field8 text, field9 text)
LANGUAGE plpgsql AS $function$
BEGIN
  RETURN QUERY SELECT * FROM fair_bench.usertable AS u WHERE u.id = record FOR UPDATE;
  UPDATE fair_bench.usertable AS u SET rmws = u.rmws + 1,
    field0 = CASE field WHEN 0 THEN value ELSE u.field0 END, field1 = CASE field WHEN 1 THEN value ELSE u.field1 END,
    field2 = CASE field WHEN 2 THEN value ELSE u.field2 END, field3 = CASE field WHEN 3 THEN value ELSE u.field3 END,
    field4 = CASE field WHEN 4 THEN value ELSE u.field4 END, field5 = CASE field WHEN 5 THEN value ELSE u.field5 END,
    field6 = CASE field WHEN 6 THEN value ELSE u.field6 END, field7 = CASE field WHEN 7 THEN value ELSE u.field7 END,
    field8 = CASE field WHEN 8 THEN value ELSE u.field8 END, field9 = CASE field WHEN 9 THEN value ELSE u.field9 END
  WHERE u.id = record;
END
$function$;

-- operation: read
SELECT * FROM fair_bench.usertable WHERE id = $1::bigint;
-- operation: update
UPDATE fair_bench.usertable SET
  field0 = CASE $2::bigint WHEN 0 THEN $3::text ELSE field0 END,
  field1 = CASE $2::bigint WHEN 1 THEN $3::text ELSE field1 END,
  field2 = CASE $2::bigint WHEN 2 THEN $3::text ELSE field2 END,
  field3 = CASE $2::bigint WHEN 3 THEN $3::text ELSE field3 END,
  field4 = CASE $2::bigint WHEN 4 THEN $3::text ELSE field4 END,
  field5 = CASE $2::bigint WHEN 5 THEN $3::text ELSE field5 END,
  field6 = CASE $2::bigint WHEN 6 THEN $3::text ELSE field6 END,
  field7 = CASE $2::bigint WHEN 7 THEN $3::text ELSE field7 END,
  field8 = CASE $2::bigint WHEN 8 THEN $3::text ELSE field8 END,
  field9 = CASE $2::bigint WHEN 9 THEN $3::text ELSE field9 END
WHERE id = $1::bigint;
-- operation: insert
INSERT INTO fair_bench.usertable VALUES ($1::bigint, 0, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text,
  $8::text, $9::text, $10::text, $11::text);
-- operation: scan
SELECT * FROM fair_bench.usertable WHERE id >= $1::bigint ORDER BY id LIMIT $2::bigint;
-- operation: rmw
SELECT * FROM fair_bench.rmw($1::bigint, $2::bigint, $3::text);
