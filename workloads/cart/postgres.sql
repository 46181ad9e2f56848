-- Both operations are one prepared statement each, which is its own transaction.
-- operation: put
INSERT INTO fair_bench.item AS i VALUES ($1::bigint, $2::bigint, $3::bigint, $4::text)
  ON CONFLICT (cart, product) DO UPDATE SET quantity = i.quantity + excluded.quantity, note = excluded.note;
-- operation: view
SELECT cart, product, quantity, note FROM fair_bench.item WHERE cart = $1::bigint ORDER BY product LIMIT $2::bigint;
