-- The five transactions as one call each. What is read without a lock is read after everything that is locked: an earlier reading
-- would fix a snapshot, in which rows of stock and customers that others have changed since may not be written. Rows of stock are
-- locked in the order of their keys, so that orders which overlap cannot deadlock. Numbers with digits after the point are whole
-- numbers of their smallest unit in arguments and replies.
DROP FUNCTION IF EXISTS fair_bench.micros;
CREATE FUNCTION fair_bench.micros(moment datetime(6)) RETURNS bigint DETERMINISTIC NO SQL
RETURN TIMESTAMPDIFF(MICROSECOND, '1970-01-01', moment);

DROP PROCEDURE IF EXISTS fair_bench.new_order;
CREATE PROCEDURE fair_bench.new_order(in_w bigint, in_d bigint, in_c bigint, is_wrong boolean, in_lines longtext CHARACTER SET utf8mb4)
MODIFIES SQL DATA
new_order: BEGIN
  DECLARE order_id, line_supply, line_item, line_quantity, line_number, at_hand, orders_before bigint;
  DECLARE line_count, found_items bigint;
  DECLARE district_tax, warehouse_tax, discount decimal(4, 4);
  DECLARE last_name, credit, place, data_of_stock text CHARACTER SET utf8mb4;
  DECLARE taken longtext CHARACTER SET utf8mb4 DEFAULT '';
  DECLARE is_over boolean DEFAULT false;
  DECLARE entered datetime(6) DEFAULT UTC_TIMESTAMP(6);
  DECLARE wishes CURSOR FOR SELECT l.supply, l.item, l.quantity, l.number FROM JSON_TABLE(in_lines, '$[*]' COLUMNS (
    number FOR ORDINALITY, supply bigint PATH '$.supply_w_id', item bigint PATH '$.i_id', quantity bigint PATH '$.quantity')) AS l
    ORDER BY l.supply, l.item, l.number;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET is_over = true;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  SET line_count = JSON_LENGTH(in_lines);
  START TRANSACTION;
  SELECT d.d_next_o_id, d.d_tax INTO order_id, district_tax FROM fair_bench.district AS d
    WHERE d.d_w_id = in_w AND d.d_id = in_d FOR UPDATE;
  UPDATE fair_bench.district AS d SET d.d_next_o_id = order_id + 1 WHERE d.d_w_id = in_w AND d.d_id = in_d;
  OPEN wishes;
  each_wish: LOOP
    FETCH wishes INTO line_supply, line_item, line_quantity, line_number;
    IF is_over THEN LEAVE each_wish; END IF;
    SELECT s.s_quantity, s.s_order_cnt, s.s_data, CASE in_d WHEN 1 THEN s.s_dist_01 WHEN 2 THEN s.s_dist_02 WHEN 3 THEN s.s_dist_03
        WHEN 4 THEN s.s_dist_04 WHEN 5 THEN s.s_dist_05 WHEN 6 THEN s.s_dist_06 WHEN 7 THEN s.s_dist_07 WHEN 8 THEN s.s_dist_08
        WHEN 9 THEN s.s_dist_09 ELSE s.s_dist_10 END
      INTO at_hand, orders_before, data_of_stock, place
      FROM fair_bench.stock AS s WHERE s.s_w_id = line_supply AND s.s_i_id = line_item FOR UPDATE;
    SET at_hand = at_hand - line_quantity;
    IF at_hand < 10 THEN SET at_hand = at_hand + 91; END IF;
    UPDATE fair_bench.stock AS s SET s.s_quantity = at_hand, s.s_ytd = s.s_ytd + line_quantity, s.s_order_cnt = s.s_order_cnt + 1,
        s.s_remote_cnt = s.s_remote_cnt + if(line_supply = in_w, 0, 1)
      WHERE s.s_w_id = line_supply AND s.s_i_id = line_item;
    -- The last item of an order that is wrong does not exist.
    SET taken = concat(taken, if(taken = '', '', ','), JSON_OBJECT('number', line_number, 'supply', line_supply,
      'item', if(is_wrong AND line_number = line_count, 0, line_item), 'quantity', line_quantity, 'at_hand', at_hand,
      'orders', orders_before, 'place', place, 'original', if(data_of_stock LIKE '%ORIGINAL%', 1, 0)));
  END LOOP;
  CLOSE wishes;
  SET taken = concat('[', taken, ']');
  SELECT w.w_tax INTO warehouse_tax FROM fair_bench.warehouse AS w WHERE w.w_id = in_w;
  SELECT c.c_discount, c.c_last, c.c_credit INTO discount, last_name, credit FROM fair_bench.customer AS c
    WHERE c.c_w_id = in_w AND c.c_d_id = in_d AND c.c_id = in_c;
  INSERT INTO fair_bench.orders VALUES (in_w, in_d, order_id, in_c, entered, NULL, line_count,
    NOT EXISTS (SELECT 1 FROM JSON_TABLE(in_lines, '$[*]' COLUMNS (supply bigint PATH '$.supply_w_id')) AS l WHERE l.supply <> in_w));
  INSERT INTO fair_bench.new_order VALUES (in_w, in_d, order_id);
  INSERT INTO fair_bench.order_line
    SELECT in_w, in_d, order_id, t.number, t.item, t.supply, NULL, t.quantity, t.quantity * i.i_price, t.place
    FROM JSON_TABLE(taken, '$[*]' COLUMNS (number bigint PATH '$.number', supply bigint PATH '$.supply', item bigint PATH '$.item',
      quantity bigint PATH '$.quantity', place varchar(24) CHARACTER SET utf8mb4 PATH '$.place')) AS t
      JOIN fair_bench.item AS i ON i.i_id = t.item;
  SET found_items = ROW_COUNT();
  IF found_items < line_count THEN
    ROLLBACK;
    SELECT 'unknown-item', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL;
    LEAVE new_order;
  END IF;
  COMMIT;
  SELECT NULL, order_id, fair_bench.micros(entered), last_name, credit, CAST(discount * 10000 AS SIGNED),
    CAST(warehouse_tax * 10000 AS SIGNED), CAST(district_tax * 10000 AS SIGNED),
    CAST(sum(t.quantity * i.i_price * 100) OVER () AS SIGNED) * CAST((1 - discount) * 10000 AS SIGNED)
      * CAST((1 + warehouse_tax + district_tax) * 10000 AS SIGNED),
    i.i_name, CAST(i.i_price * 100 AS SIGNED), t.at_hand, t.original = 1 AND i.i_data LIKE '%ORIGINAL%',
    CAST(t.quantity * i.i_price * 100 AS SIGNED), t.orders
  FROM JSON_TABLE(taken, '$[*]' COLUMNS (number bigint PATH '$.number', item bigint PATH '$.item', quantity bigint PATH '$.quantity',
    at_hand bigint PATH '$.at_hand', orders bigint PATH '$.orders', original bigint PATH '$.original')) AS t
    JOIN fair_bench.item AS i ON i.i_id = t.item
  ORDER BY t.number;
END;

-- The customer of a last name: the middle one by first names, rounded up. What it reads never changes.
DROP FUNCTION IF EXISTS fair_bench.customer_named;
CREATE FUNCTION fair_bench.customer_named(in_w bigint, in_d bigint, in_last text CHARACTER SET utf8mb4) RETURNS bigint READS SQL DATA
RETURN (SELECT named.c_id FROM (
    SELECT c.c_id, row_number() OVER (ORDER BY c.c_first, c.c_id) AS place, count(*) OVER () AS total
    FROM fair_bench.customer AS c WHERE c.c_w_id = in_w AND c.c_d_id = in_d AND c.c_last = in_last) AS named
  WHERE named.place = (named.total + 1) DIV 2);

DROP PROCEDURE IF EXISTS fair_bench.payment;
CREATE PROCEDURE fair_bench.payment(in_h bigint, in_w bigint, in_d bigint, is_local boolean, in_c_w bigint, in_c_d bigint,
  by_name boolean, in_c bigint, in_last text CHARACTER SET utf8mb4, in_amount bigint)
MODIFIES SQL DATA
BEGIN
  DECLARE customer_id, payments, deliveries bigint;
  DECLARE balance decimal(12, 2);
  DECLARE amount decimal(12, 2) DEFAULT in_amount / 100;
  DECLARE credit, old_data, warehouse_name, district_name text CHARACTER SET utf8mb4;
  DECLARE paid datetime(6) DEFAULT UTC_TIMESTAMP(6);
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  SET customer_id = if(by_name, fair_bench.customer_named(in_c_w, in_c_d, in_last), in_c);
  START TRANSACTION;
  UPDATE fair_bench.warehouse AS w SET w.w_ytd = w.w_ytd + amount WHERE w.w_id = in_w;
  UPDATE fair_bench.district AS d SET d.d_ytd = d.d_ytd + amount WHERE d.d_w_id = in_w AND d.d_id = in_d;
  SELECT c.c_payment_cnt, c.c_delivery_cnt, c.c_balance, c.c_credit, c.c_data INTO payments, deliveries, balance, credit, old_data
    FROM fair_bench.customer AS c WHERE c.c_w_id = in_c_w AND c.c_d_id = in_c_d AND c.c_id = customer_id FOR UPDATE;
  IF credit = 'BC' THEN
    SET old_data = left(concat(customer_id, ' ', in_c_d, ' ', in_c_w, ' ', in_d, ' ', in_w, ' ', amount, '|', old_data), 500);
  END IF;
  UPDATE fair_bench.customer AS c SET c.c_balance = c.c_balance - amount, c.c_ytd_payment = c.c_ytd_payment + amount,
      c.c_payment_cnt = c.c_payment_cnt + 1, c.c_data = old_data
    WHERE c.c_w_id = in_c_w AND c.c_d_id = in_c_d AND c.c_id = customer_id;
  SELECT w.w_name INTO warehouse_name FROM fair_bench.warehouse AS w WHERE w.w_id = in_w;
  SELECT d.d_name INTO district_name FROM fair_bench.district AS d WHERE d.d_w_id = in_w AND d.d_id = in_d;
  INSERT INTO fair_bench.history VALUES (in_c_w, in_c_d, -1 - in_h, customer_id, in_d, in_w, paid, amount,
    concat(warehouse_name, '    ', district_name));
  COMMIT;
  SELECT customer_id, payments, deliveries, CAST((balance - amount) * 100 AS SIGNED), credit,
    if(credit = 'BC', left(old_data, 200), ''), fair_bench.micros(paid);
END;

DROP PROCEDURE IF EXISTS fair_bench.order_status;
CREATE PROCEDURE fair_bench.order_status(in_w bigint, in_d bigint, by_name boolean, in_c bigint, in_last text CHARACTER SET utf8mb4)
READS SQL DATA
BEGIN
  DECLARE customer_id bigint DEFAULT if(by_name, fair_bench.customer_named(in_w, in_d, in_last), in_c);
  SELECT c.c_id, c.c_payment_cnt, c.c_delivery_cnt, CAST(c.c_balance * 100 AS SIGNED), o.o_id, fair_bench.micros(o.o_entry_d),
    coalesce(o.o_carrier_id, -1), l.ol_i_id, l.ol_supply_w_id, l.ol_quantity, CAST(l.ol_amount * 100 AS SIGNED),
    coalesce(fair_bench.micros(l.ol_delivery_d), -1)
  FROM fair_bench.customer AS c
    JOIN fair_bench.orders AS o ON o.o_w_id = c.c_w_id AND o.o_d_id = c.c_d_id AND o.o_id = (SELECT max(p.o_id)
      FROM fair_bench.orders AS p WHERE p.o_w_id = in_w AND p.o_d_id = in_d AND p.o_c_id = customer_id)
    JOIN fair_bench.order_line AS l ON l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id AND l.ol_o_id = o.o_id
  WHERE c.c_w_id = in_w AND c.c_d_id = in_d AND c.c_id = customer_id
  ORDER BY l.ol_number;
END;

DROP PROCEDURE IF EXISTS fair_bench.delivery;
CREATE PROCEDURE fair_bench.delivery(in_w bigint, in_carrier bigint)
MODIFIES SQL DATA
BEGIN
  DECLARE district_id bigint DEFAULT 1;
  DECLARE order_id, customer_id, payments, deliveries, districts bigint;
  DECLARE amount decimal(12, 2);
  DECLARE done longtext CHARACTER SET utf8mb4 DEFAULT '';
  DECLARE delivered datetime(6) DEFAULT UTC_TIMESTAMP(6);
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  SELECT count(*) INTO districts FROM fair_bench.district AS d WHERE d.d_w_id = in_w;
  START TRANSACTION;
  WHILE district_id <= districts DO
    SET order_id = NULL;
    SELECT n.no_o_id INTO order_id FROM fair_bench.new_order AS n WHERE n.no_w_id = in_w AND n.no_d_id = district_id
      ORDER BY n.no_o_id LIMIT 1 FOR UPDATE;
    SET customer_id = 0, amount = 0, payments = 0, deliveries = 0;
    IF order_id IS NOT NULL THEN
      DELETE FROM fair_bench.new_order WHERE no_w_id = in_w AND no_d_id = district_id AND no_o_id = order_id;
      SELECT o.o_c_id INTO customer_id FROM fair_bench.orders AS o
        WHERE o.o_w_id = in_w AND o.o_d_id = district_id AND o.o_id = order_id FOR UPDATE;
      UPDATE fair_bench.orders AS o SET o.o_carrier_id = in_carrier
        WHERE o.o_w_id = in_w AND o.o_d_id = district_id AND o.o_id = order_id;
      UPDATE fair_bench.order_line AS l SET l.ol_delivery_d = delivered
        WHERE l.ol_w_id = in_w AND l.ol_d_id = district_id AND l.ol_o_id = order_id;
      SELECT sum(l.ol_amount) INTO amount FROM fair_bench.order_line AS l
        WHERE l.ol_w_id = in_w AND l.ol_d_id = district_id AND l.ol_o_id = order_id FOR UPDATE;
      SELECT c.c_payment_cnt, c.c_delivery_cnt INTO payments, deliveries FROM fair_bench.customer AS c
        WHERE c.c_w_id = in_w AND c.c_d_id = district_id AND c.c_id = customer_id FOR UPDATE;
      UPDATE fair_bench.customer AS c SET c.c_balance = c.c_balance + amount, c.c_delivery_cnt = c.c_delivery_cnt + 1
        WHERE c.c_w_id = in_w AND c.c_d_id = district_id AND c.c_id = customer_id;
    END IF;
    SET done = concat(done, if(done = '', '', ','), JSON_OBJECT('d', district_id, 'o', coalesce(order_id, 0), 'c', customer_id,
      'amount', CAST(amount * 100 AS SIGNED), 'payments', payments, 'deliveries', deliveries));
    SET district_id = district_id + 1;
  END WHILE;
  COMMIT;
  SELECT t.d, t.o, t.c, t.amount, t.payments, t.deliveries, fair_bench.micros(delivered)
  FROM JSON_TABLE(concat('[', done, ']'), '$[*]' COLUMNS (d bigint PATH '$.d', o bigint PATH '$.o', c bigint PATH '$.c',
    amount bigint PATH '$.amount', payments bigint PATH '$.payments', deliveries bigint PATH '$.deliveries')) AS t
  ORDER BY t.d;
END;

-- operation: new_order
CALL fair_bench.new_order(?, ?, ?, ?, ?);
-- operation: payment
CALL fair_bench.payment(?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- operation: order_status
CALL fair_bench.order_status(?, ?, ?, ?, ?);
-- operation: delivery
CALL fair_bench.delivery(?, ?);
-- operation: stock_level
SELECT d.d_next_o_id, (SELECT count(DISTINCT l.ol_i_id) FROM fair_bench.order_line AS l
    JOIN fair_bench.stock AS s ON s.s_w_id = l.ol_w_id AND s.s_i_id = l.ol_i_id
    WHERE l.ol_w_id = d.d_w_id AND l.ol_d_id = d.d_id AND l.ol_o_id >= d.d_next_o_id - 20 AND l.ol_o_id < d.d_next_o_id
      AND s.s_quantity < levels.threshold)
  FROM (SELECT ? AS w, ? AS d, ? AS threshold) AS levels
    JOIN fair_bench.district AS d ON d.d_w_id = levels.w AND d.d_id = levels.d;
