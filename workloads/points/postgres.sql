CREATE OR REPLACE FUNCTION fair_bench.earn(in_name text, amount bigint)
RETURNS TABLE (id bigint, points bigint, writes bigint, gold_since bigint) LANGUAGE sql
BEGIN ATOMIC
  UPDATE fair_bench.member AS m SET points = m.points + amount / 100.0, writes = m.writes + 1,
      gold_since = CASE WHEN m.points + amount / 100.0 >= 500 THEN coalesce(m.gold_since, now() AT TIME ZONE 'UTC') END
    WHERE m.name = in_name
    RETURNING m.id, (m.points * 100)::bigint, m.writes - 1,
      coalesce((extract(epoch FROM m.gold_since) * 1000000)::bigint, -9223372036854775808);
END;
