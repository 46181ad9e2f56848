import type { ClientBase } from 'pg';
import { type ConnectionLimit, narrowest } from '@fair-bench/supervisor';
import { z } from 'zod';

const limitsSchema = z.tuple([
  z.object({
    most: z.coerce.number(),
    reserved: z.coerce.number(),
    open: z.coerce.number(),
    of_role: z.coerce.number(),
    open_of_role: z.coerce.number(),
    of_database: z.coerce.number(),
    open_of_database: z.coerce.number(),
  }),
]);

/** Connections of ours are not counted: those of a target end before another one's begin. `reserved_connections` exists since 16. */
const limitsQuery = `
  WITH others AS (
    SELECT usename, datname FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND application_name NOT LIKE 'fair-bench %'
  )
  SELECT current_setting('max_connections') AS most,
    CASE WHEN rolsuper THEN 0
      ELSE current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true), '0')::int
    END AS reserved,
    (SELECT count(*) FROM others) AS open,
    CASE WHEN rolsuper THEN -1 ELSE rolconnlimit END AS of_role,
    (SELECT count(*) FROM others WHERE usename = current_user) AS open_of_role,
    CASE WHEN rolsuper THEN -1 ELSE datconnlimit END AS of_database,
    (SELECT count(*) FROM others WHERE datname = current_database()) AS open_of_database
  FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`;

/** The narrowest limit of the session's user; null where the server does not say. */
export async function connectionLimit(client: ClientBase): Promise<ConnectionLimit | null> {
  const parsed = limitsSchema.safeParse((await client.query(limitsQuery).catch(() => ({ rows: [] }))).rows);
  if (!parsed.success) return null;
  const [found] = parsed.data;
  const { most, reserved, open, of_role: ofRole, of_database: ofDatabase } = found;
  const kept = reserved === 0 ? '' : `, ${reserved} of them reserved`;
  return narrowest([
    { more: most - reserved - open, because: `max_connections = ${most}${kept}, ${open} open` },
    ...(ofRole < 0
      ? []
      : [
          {
            more: ofRole - found.open_of_role,
            because: `the role's CONNECTION LIMIT ${ofRole}, ${found.open_of_role} open`,
          },
        ]),
    ...(ofDatabase < 0
      ? []
      : [
          {
            more: ofDatabase - found.open_of_database,
            because: `the database's CONNECTION LIMIT ${ofDatabase}, ${found.open_of_database} open`,
          },
        ]),
  ]);
}
