DROP PROCEDURE IF EXISTS fair_bench.place;
CREATE PROCEDURE fair_bench.place(id bigint, customer bigint, items longtext CHARACTER SET utf8mb4)
MODIFIES SQL DATA
place: BEGIN
  DECLARE next_item, wanted, at_hand, cost bigint;
  DECLARE total bigint DEFAULT 0;
  DECLARE is_unknown, is_short, is_over boolean DEFAULT false;
  -- The stock is locked in the order of the items: orders that overlap cannot deadlock.
  DECLARE wishes CURSOR FOR SELECT l.item, l.quantity FROM JSON_TABLE(items, '$[*]'
    COLUMNS (item bigint PATH '$.item', quantity bigint PATH '$.quantity')) AS l ORDER BY l.item;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET is_over = true;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  OPEN wishes;
  each_wish: LOOP
    FETCH wishes INTO next_item, wanted;
    IF is_over THEN LEAVE each_wish; END IF;
    SET at_hand = NULL;
    SELECT s.quantity, s.price INTO at_hand, cost FROM fair_bench.stock AS s WHERE s.item = next_item FOR UPDATE;
    -- An item that is not there sets it too.
    SET is_over = false;
    IF at_hand IS NULL THEN SET is_unknown = true;
    ELSEIF at_hand < wanted THEN SET is_short = true;
    ELSE
      UPDATE fair_bench.stock AS s SET s.quantity = s.quantity - wanted WHERE s.item = next_item;
      INSERT INTO fair_bench.line (`order`, item, quantity) VALUES (id, next_item, wanted);
      SET total = total + wanted * cost;
    END IF;
  END LOOP;
  CLOSE wishes;
  IF is_unknown OR is_short THEN
    ROLLBACK;
    SELECT if(is_unknown, 'unknown-item', 'out-of-stock'), NULL;
    LEAVE place;
  END IF;
  INSERT INTO fair_bench.orders VALUES (id, customer, total);
  COMMIT;
  SELECT NULL, total;
END;

-- operation: place
CALL fair_bench.place(?, ?, ?);
