CREATE SCHEMA fair_bench;
-- Marks the schema as ours, so that one of the user's with that name is never dropped.
COMMENT ON SCHEMA fair_bench IS 'Made by Fair Bench, which drops it.';
CREATE TABLE fair_bench.accounts (id bigint PRIMARY KEY, balance bigint NOT NULL);
