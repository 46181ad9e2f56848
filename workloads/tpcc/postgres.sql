-- The five transactions as one call each. Rows of stock are locked in the order of their keys, so that orders which overlap cannot
-- deadlock; payments and deliveries lock customers last. Numbers with digits after the point are whole numbers of their smallest unit
-- in arguments and replies.
CREATE OR REPLACE FUNCTION fair_bench.micros(at timestamp) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN (extract(epoch FROM at) * 1000000)::bigint;

CREATE OR REPLACE FUNCTION fair_bench.new_order(in_w bigint, in_d bigint, in_c bigint, is_wrong boolean,
  locals boolean[], supplies bigint[], items bigint[], quantities bigint[])
RETURNS TABLE (declined text, o_id bigint, o_entry_d bigint, c_last text, c_credit text, c_discount bigint, w_tax bigint,
  d_tax bigint, total bigint, i_name text, i_price bigint, s_quantity bigint, is_brand boolean, ol_amount bigint,
  s_order_cnt bigint)
LANGUAGE plpgsql AS $function$
DECLARE
  entered timestamp := now() AT TIME ZONE 'UTC';
  lines integer := cardinality(items);
  names text[];
  prices numeric[];
  brands text[];
  known integer;
  lefts bigint[];
  counts bigint[];
  places text[];
  originals boolean[];
  amounts numeric[];
  line record;
  stock record;
  customer record;
  warehouse_tax numeric;
  district_tax numeric;
BEGIN
  -- The last item does not exist: what was done is undone, in a subtransaction that other orders do not have.
  IF is_wrong THEN
    BEGIN
      PERFORM FROM fair_bench.new_order(in_w, in_d, in_c, false, locals, supplies, items[:lines - 1] || 0::bigint, quantities);
    EXCEPTION WHEN no_data_found THEN
      declined := 'unknown-item';
      RETURN NEXT;
    END;
    RETURN;
  END IF;
  SELECT w.w_tax INTO warehouse_tax FROM fair_bench.warehouse AS w WHERE w.w_id = in_w;
  SELECT c.c_last, c.c_credit, c.c_discount INTO customer FROM fair_bench.customer AS c
    WHERE c.c_w_id = in_w AND c.c_d_id = in_d AND c.c_id = in_c;
  UPDATE fair_bench.district AS d SET d_next_o_id = d.d_next_o_id + 1 WHERE d.d_w_id = in_w AND d.d_id = in_d
    RETURNING d.d_next_o_id - 1, d.d_tax INTO o_id, district_tax;
  INSERT INTO fair_bench.orders VALUES (in_w, in_d, o_id, in_c, entered, NULL, lines,
    CASE WHEN in_w = ALL (supplies) THEN 1 ELSE 0 END);
  INSERT INTO fair_bench.new_order VALUES (in_w, in_d, o_id);
  SELECT array_agg(i.i_name ORDER BY l.place), array_agg(i.i_price ORDER BY l.place), array_agg(i.i_data ORDER BY l.place), count(i.i_id)
    INTO names, prices, brands, known
    FROM unnest(items) WITH ORDINALITY AS l(item, place) LEFT JOIN fair_bench.item AS i ON i.i_id = l.item;
  FOR line IN SELECT l.* FROM unnest(supplies, items, quantities) WITH ORDINALITY AS l(supply, item, quantity, place)
    ORDER BY l.supply, l.item, l.place
  LOOP
    UPDATE fair_bench.stock AS s SET
        s_quantity = s.s_quantity - line.quantity + CASE WHEN s.s_quantity - line.quantity >= 10 THEN 0 ELSE 91 END,
        s_ytd = s.s_ytd + line.quantity,
        s_order_cnt = s.s_order_cnt + 1,
        s_remote_cnt = s.s_remote_cnt + CASE WHEN line.supply = in_w THEN 0 ELSE 1 END
      WHERE s.s_w_id = line.supply AND s.s_i_id = line.item
      RETURNING s.s_quantity AS quantity, s.s_order_cnt - 1 AS found, s.s_data AS data,
        CASE in_d WHEN 1 THEN s.s_dist_01 WHEN 2 THEN s.s_dist_02 WHEN 3 THEN s.s_dist_03 WHEN 4 THEN s.s_dist_04
          WHEN 5 THEN s.s_dist_05 WHEN 6 THEN s.s_dist_06 WHEN 7 THEN s.s_dist_07 WHEN 8 THEN s.s_dist_08
          WHEN 9 THEN s.s_dist_09 ELSE s.s_dist_10 END AS place
      INTO stock;
    lefts[line.place] := stock.quantity;
    counts[line.place] := stock.found;
    places[line.place] := stock.place;
    originals[line.place] := stock.data LIKE '%ORIGINAL%' AND brands[line.place] LIKE '%ORIGINAL%';
    amounts[line.place] := line.quantity * prices[line.place];
  END LOOP;
  IF known < lines THEN RAISE no_data_found; END IF;
  INSERT INTO fair_bench.order_line
    SELECT in_w, in_d, o_id, l.number, l.item, l.supply, NULL, l.quantity, l.amount, l.place
    FROM unnest(items, supplies, quantities, amounts, places) WITH ORDINALITY AS l(item, supply, quantity, amount, place, number);
  RETURN QUERY SELECT NULL::text, o_id, fair_bench.micros(entered), customer.c_last::text, customer.c_credit::text,
      (customer.c_discount * 10000)::bigint, (warehouse_tax * 10000)::bigint, (district_tax * 10000)::bigint,
      (sum(l.amount) OVER () * (1 - customer.c_discount) * (1 + warehouse_tax + district_tax) * 10000000000)::bigint,
      l.name, (l.price * 100)::bigint, l.quantity, l.original, (l.amount * 100)::bigint, l.found
    FROM unnest(names, prices, lefts, originals, amounts, counts) WITH ORDINALITY
      AS l(name, price, quantity, original, amount, found, number)
    ORDER BY l.number;
END
$function$;

-- The customer of a last name: the middle one by first names, rounded up.
CREATE OR REPLACE FUNCTION fair_bench.customer_named(in_w bigint, in_d bigint, in_last text) RETURNS bigint
LANGUAGE sql STABLE
RETURN (SELECT named.c_id FROM (
    SELECT c.c_id, row_number() OVER (ORDER BY c.c_first COLLATE "C", c.c_id) AS place, count(*) OVER () AS count
    FROM fair_bench.customer AS c WHERE c.c_w_id = in_w AND c.c_d_id = in_d AND c.c_last = in_last) AS named
  WHERE named.place = (named.count + 1) / 2);

CREATE OR REPLACE FUNCTION fair_bench.payment(in_h bigint, in_w bigint, in_d bigint, is_local boolean, in_c_w bigint,
  in_c_d bigint, by_name boolean, in_c bigint, in_last text, in_amount bigint)
RETURNS TABLE (c_id bigint, c_payment_cnt bigint, c_delivery_cnt bigint, c_balance bigint, c_credit text, c_data text,
  h_date bigint)
LANGUAGE plpgsql AS $function$
DECLARE
  paid timestamp := now() AT TIME ZONE 'UTC';
  amount numeric := in_amount / 100.0;
  warehouse_name text;
  district_name text;
  customer record;
BEGIN
  c_id := CASE WHEN by_name THEN fair_bench.customer_named(in_c_w, in_c_d, in_last) ELSE in_c END;
  UPDATE fair_bench.warehouse AS w SET w_ytd = w.w_ytd + amount WHERE w.w_id = in_w RETURNING w.w_name INTO warehouse_name;
  UPDATE fair_bench.district AS d SET d_ytd = d.d_ytd + amount WHERE d.d_w_id = in_w AND d.d_id = in_d
    RETURNING d.d_name INTO district_name;
  UPDATE fair_bench.customer AS c SET
      c_balance = c.c_balance - amount,
      c_ytd_payment = c.c_ytd_payment + amount,
      c_payment_cnt = c.c_payment_cnt + 1,
      c_data = CASE WHEN c.c_credit = 'BC'
        THEN left(concat(payment.c_id, ' ', in_c_d, ' ', in_c_w, ' ', in_d, ' ', in_w, ' ', amount::numeric(12, 2), '|', c.c_data), 500)
        ELSE c.c_data END
    WHERE c.c_w_id = in_c_w AND c.c_d_id = in_c_d AND c.c_id = payment.c_id
    RETURNING c.c_payment_cnt - 1 AS payments, c.c_delivery_cnt AS deliveries, (c.c_balance * 100)::bigint AS balance,
      c.c_credit AS credit, CASE WHEN c.c_credit = 'BC' THEN left(c.c_data, 200) ELSE '' END AS data
    INTO customer;
  INSERT INTO fair_bench.history VALUES (in_c_w, in_c_d, -1 - in_h, payment.c_id, in_d, in_w, paid, amount,
    concat(warehouse_name, '    ', district_name));
  c_payment_cnt := customer.payments;
  c_delivery_cnt := customer.deliveries;
  c_balance := customer.balance;
  c_credit := customer.credit;
  c_data := customer.data;
  h_date := fair_bench.micros(paid);
  RETURN NEXT;
END
$function$;

CREATE OR REPLACE FUNCTION fair_bench.order_status(in_w bigint, in_d bigint, by_name boolean, in_c bigint, in_last text)
RETURNS TABLE (c_id bigint, c_payment_cnt bigint, c_delivery_cnt bigint, c_balance bigint, o_id bigint, o_entry_d bigint,
  o_carrier_id bigint, ol_i_id bigint, ol_supply_w_id bigint, ol_quantity bigint, ol_amount bigint, ol_delivery_d bigint)
LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT c.c_id, c.c_payment_cnt, c.c_delivery_cnt, (c.c_balance * 100)::bigint, o.o_id, fair_bench.micros(o.o_entry_d),
    coalesce(o.o_carrier_id, -1), l.ol_i_id, l.ol_supply_w_id, l.ol_quantity, (l.ol_amount * 100)::bigint,
    coalesce(fair_bench.micros(l.ol_delivery_d), -1)
  FROM fair_bench.customer AS c
    CROSS JOIN LATERAL (SELECT p.* FROM fair_bench.orders AS p
      WHERE p.o_w_id = c.c_w_id AND p.o_d_id = c.c_d_id AND p.o_c_id = c.c_id ORDER BY p.o_id DESC LIMIT 1) AS o
    JOIN fair_bench.order_line AS l ON l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id AND l.ol_o_id = o.o_id
  WHERE c.c_w_id = in_w AND c.c_d_id = in_d
    AND c.c_id = CASE WHEN by_name THEN fair_bench.customer_named(in_w, in_d, in_last) ELSE in_c END
  ORDER BY l.ol_number;
END;

CREATE OR REPLACE FUNCTION fair_bench.delivery(in_w bigint, in_carrier bigint)
RETURNS TABLE (d_id bigint, o_id bigint, c_id bigint, amount bigint, c_payment_cnt bigint, c_delivery_cnt bigint,
  ol_delivery_d bigint)
LANGUAGE plpgsql AS $function$
DECLARE
  delivered timestamp := now() AT TIME ZONE 'UTC';
  sum_of_lines numeric;
  is_empty boolean;
BEGIN
  FOR d_id IN SELECT d.d_id FROM fair_bench.district AS d WHERE d.d_w_id = in_w ORDER BY d.d_id LOOP
    o_id := NULL;
    is_empty := false;
    -- A row that another delivery has deleted meanwhile ends the query without one: there may be a next.
    WHILE o_id IS NULL AND NOT is_empty LOOP
      SELECT n.no_o_id INTO o_id FROM fair_bench.new_order AS n WHERE n.no_w_id = in_w AND n.no_d_id = delivery.d_id
        ORDER BY n.no_o_id LIMIT 1 FOR UPDATE;
      is_empty := o_id IS NULL
        AND NOT EXISTS (SELECT FROM fair_bench.new_order AS n WHERE n.no_w_id = in_w AND n.no_d_id = delivery.d_id);
    END LOOP;
    IF is_empty THEN
      o_id := 0; c_id := 0; amount := 0; c_payment_cnt := 0; c_delivery_cnt := 0;
    ELSE
      DELETE FROM fair_bench.new_order AS n
        WHERE n.no_w_id = in_w AND n.no_d_id = delivery.d_id AND n.no_o_id = delivery.o_id;
      UPDATE fair_bench.orders AS o SET o_carrier_id = in_carrier
        WHERE o.o_w_id = in_w AND o.o_d_id = delivery.d_id AND o.o_id = delivery.o_id RETURNING o.o_c_id INTO c_id;
      WITH lines AS (UPDATE fair_bench.order_line AS l SET ol_delivery_d = delivered
          WHERE l.ol_w_id = in_w AND l.ol_d_id = delivery.d_id AND l.ol_o_id = delivery.o_id RETURNING l.ol_amount)
        SELECT sum(lines.ol_amount) INTO sum_of_lines FROM lines;
      UPDATE fair_bench.customer AS c SET c_balance = c.c_balance + sum_of_lines, c_delivery_cnt = c.c_delivery_cnt + 1
        WHERE c.c_w_id = in_w AND c.c_d_id = delivery.d_id AND c.c_id = delivery.c_id
        RETURNING c.c_payment_cnt, c.c_delivery_cnt - 1 INTO c_payment_cnt, c_delivery_cnt;
      amount := (sum_of_lines * 100)::bigint;
    END IF;
    ol_delivery_d := fair_bench.micros(delivered);
    RETURN NEXT;
  END LOOP;
END
$function$;

-- operation: stock_level
SELECT d.d_next_o_id AS next, (SELECT count(DISTINCT l.ol_i_id) FROM fair_bench.order_line AS l
    JOIN fair_bench.stock AS s ON s.s_w_id = l.ol_w_id AND s.s_i_id = l.ol_i_id
    WHERE l.ol_w_id = d.d_w_id AND l.ol_d_id = d.d_id AND l.ol_o_id >= d.d_next_o_id - 20 AND l.ol_o_id < d.d_next_o_id
      AND s.s_quantity < $3) AS low
  FROM fair_bench.district AS d WHERE d.d_w_id = $1 AND d.d_id = $2;
