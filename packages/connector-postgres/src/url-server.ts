import { z } from 'zod';
import { withClient } from './connection.ts';

const versionSchema = z.tuple([z.object({ version: z.string(), number: z.coerce.number() })]);
const versionNumberMin = 140_000;

/** The version of the server at a URL. Rejects when it does not answer, or is older than 14. */
export async function reachedVersion(url: string, signal: AbortSignal): Promise<string> {
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new Error('not a URL that begins with postgres:// or postgresql://');
  return await withClient({ connectionString: url }, signal, async (client) => {
    const { rows } = await client.query(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number`,
    );
    const [{ version, number }] = versionSchema.parse(rows);
    if (number < versionNumberMin) throw new Error(`PostgreSQL ${version} is too old; 14 or later is needed`);
    return version.split(' ')[0] ?? version;
  });
}
