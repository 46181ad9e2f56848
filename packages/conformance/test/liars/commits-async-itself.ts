/**
 * Lets every other transaction commit without waiting for the log, inside the operations: no setting of a session or of the server
 * shows it.
 */
export const commitsAsyncItself = `DO $lie$ DECLARE definition text; BEGIN
  FOR definition IN SELECT pg_get_functiondef(p.oid) FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
    WHERE p.pronamespace = 'fair_bench'::regnamespace AND l.lanname = 'plpgsql' LOOP
    EXECUTE regexp_replace(definition, '\\mBEGIN\\M',
      E'BEGIN\\n  IF random() < 0.5 THEN PERFORM set_config(''synchronous_commit'', ''off'', true); END IF;');
  END LOOP;
END $lie$`;
