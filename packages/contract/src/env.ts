/** The variable that names the run's schema, for the runner and all processes that it starts; `--schema` sets it. */
export const schemaVariable = 'FAIR_BENCH_SCHEMA';

/** The schema's name where the user says no other; in a binding's SQL it stands for the run's schema. */
const defaultSchema = 'fair_bench';

/** What a schema may be called: without quotes it is the same name everywhere. */
export const schemaNames = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;

/** The schema of all our objects in a database. */
export function ourSchema(): string {
  const named = process.env[schemaVariable];
  return named === undefined || named === '' ? defaultSchema : named;
}

/** A binding's SQL, for the run's schema. */
export function inOurSchema(sql: string): string {
  return sql.replaceAll(/\bfair_bench\b/g, ourSchema());
}
