/** Checks the stock before it waits for those who take from it, and sells what they left: a stock below zero. */
export const sellsBelowZero = `
CREATE OR REPLACE FUNCTION fair_bench.place(id bigint, customer bigint, items bigint[], quantities bigint[])
RETURNS TABLE (declined text, total bigint) LANGUAGE plpgsql AS $function$
BEGIN
  declined := (SELECT CASE WHEN bool_or(s.item IS NULL) THEN 'unknown-item'
      WHEN bool_or(s.quantity < l.quantity) THEN 'out-of-stock' END
    FROM unnest(items, quantities) AS l (item, quantity) LEFT JOIN fair_bench.stock AS s ON s.item = l.item);
  IF declined IS NOT NULL THEN RETURN NEXT; RETURN; END IF;
  PERFORM FROM fair_bench.stock AS s WHERE s.item = ANY (items) ORDER BY s.item FOR UPDATE;
  WITH taken AS (UPDATE fair_bench.stock AS s SET quantity = s.quantity - l.quantity
    FROM unnest(items, quantities) AS l (item, quantity) WHERE s.item = l.item RETURNING s.price * l.quantity AS cost)
  SELECT sum(t.cost) INTO total FROM taken AS t;
  INSERT INTO fair_bench.orders VALUES (id, customer, total);
  INSERT INTO fair_bench.line SELECT id, * FROM unnest(items, quantities);
  RETURN NEXT;
END $function$`;
