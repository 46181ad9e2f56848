-- operation: read
SELECT id, value FROM fair_bench.record WHERE id = ?;
