-- pgbench's statements in its order, in one call. Every transaction changes the account first, then the teller, then the branch, so
-- that opposite ones cannot deadlock. What it returns of the account is the row before the change.
DROP PROCEDURE IF EXISTS fair_bench.transact;
CREATE PROCEDURE fair_bench.transact(in_id bigint, in_aid bigint, in_tid bigint, in_bid bigint, in_delta bigint,
  in_filler text CHARACTER SET utf8mb4)
MODIFIES SQL DATA
BEGIN
  DECLARE balance bigint;
  DECLARE old_filler text CHARACTER SET utf8mb4;
  DECLARE account_id bigint;
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  UPDATE fair_bench.account AS a SET a.abalance = a.abalance + in_delta WHERE a.aid = in_aid;
  -- Locked already: a reading without a lock would fix a snapshot, in which others' tellers may not be changed.
  SELECT a.aid, a.abalance - in_delta, a.filler INTO account_id, balance, old_filler
    FROM fair_bench.account AS a WHERE a.aid = in_aid FOR UPDATE;
  UPDATE fair_bench.teller AS t SET t.tbalance = t.tbalance + in_delta WHERE t.tid = in_tid;
  UPDATE fair_bench.branch AS b SET b.bbalance = b.bbalance + in_delta WHERE b.bid = in_bid;
  INSERT INTO fair_bench.history VALUES (in_id, in_tid, in_bid, in_aid, in_delta, in_filler);
  COMMIT;
  SELECT account_id, balance, old_filler;
END;

-- operation: transact
CALL fair_bench.transact(?, ?, ?, ?, ?, ?);
