CREATE OR REPLACE PROCEDURE fair_bench.place(id bigint, customer bigint, items longtext CHARACTER SET utf8mb4)
MODIFIES SQL DATA
place: BEGIN
  DECLARE at_hand, cost bigint;
  DECLARE total bigint DEFAULT 0;
  DECLARE is_unknown, is_short boolean DEFAULT false;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  -- The stock is locked in the order of the items: orders that overlap cannot deadlock.
  FOR wanted IN (SELECT l.item, l.quantity FROM JSON_TABLE(items, '$[*]'
      COLUMNS (item bigint PATH '$.item', quantity bigint PATH '$.quantity')) AS l ORDER BY l.item) DO
    SET at_hand = NULL;
    SELECT s.quantity, s.price INTO at_hand, cost FROM fair_bench.stock AS s WHERE s.item = wanted.item FOR UPDATE;
    IF at_hand IS NULL THEN SET is_unknown = true;
    ELSEIF at_hand < wanted.quantity THEN SET is_short = true;
    ELSE
      UPDATE fair_bench.stock AS s SET s.quantity = s.quantity - wanted.quantity WHERE s.item = wanted.item;
      INSERT INTO fair_bench.line (`order`, item, quantity) VALUES (id, wanted.item, wanted.quantity);
      SET total = total + wanted.quantity * cost;
    END IF;
  END FOR;
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
