-- Every operation is one prepared statement, which is its own transaction.
-- operation: increment
UPDATE fair_bench.counter SET value = value + 1 WHERE id = ?;
-- operation: message
INSERT INTO fair_bench.message VALUES (?, ?, ?, ?);
-- operation: counter
SELECT id, value FROM fair_bench.counter WHERE id = ?;
-- operation: messages
SELECT id, sender, channel, body FROM fair_bench.message ORDER BY id DESC LIMIT ?;
