-- Both operations are one prepared statement each, which is its own transaction.
-- operation: put
INSERT INTO fair_bench.item VALUES (?, ?, ?, ?)
  ON DUPLICATE KEY UPDATE quantity = quantity + VALUES(quantity), note = VALUES(note);
-- operation: view
SELECT cart, product, quantity, note FROM fair_bench.item WHERE cart = ? ORDER BY product LIMIT ?;
