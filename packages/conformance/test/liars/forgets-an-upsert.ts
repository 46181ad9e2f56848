/** One in ten upserts of a row that is there leaves its quantity as it is: the transaction writes, and its count is right. */
export const forgetsAnUpsert = `
CREATE OR REPLACE FUNCTION fair_bench.forget() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF random() < 0.1 THEN NEW.quantity := OLD.quantity; END IF;
  RETURN NEW;
END
$function$;
CREATE OR REPLACE TRIGGER forget BEFORE UPDATE ON fair_bench.item FOR EACH ROW EXECUTE FUNCTION fair_bench.forget()`;
