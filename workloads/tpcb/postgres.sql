-- pgbench's statements in its order, in one call. Every transaction changes the account first, then the teller, then the branch, so
-- that opposite ones cannot deadlock. What it returns of the account is the row before the change.
CREATE OR REPLACE FUNCTION fair_bench.transact(id bigint, in_aid bigint, in_tid bigint, in_bid bigint, in_delta bigint, in_filler text)
RETURNS TABLE (aid bigint, abalance bigint, filler text) LANGUAGE plpgsql AS $function$
BEGIN
  UPDATE fair_bench.account AS a SET abalance = a.abalance + in_delta WHERE a.aid = in_aid;
  SELECT a.aid, a.abalance - in_delta, a.filler INTO aid, abalance, filler FROM fair_bench.account AS a WHERE a.aid = in_aid;
  UPDATE fair_bench.teller AS t SET tbalance = t.tbalance + in_delta WHERE t.tid = in_tid;
  UPDATE fair_bench.branch AS b SET bbalance = b.bbalance + in_delta WHERE b.bid = in_bid;
  INSERT INTO fair_bench.history VALUES (id, in_tid, in_bid, in_aid, in_delta, in_filler);
  RETURN NEXT;
END
$function$;
