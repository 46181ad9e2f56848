import { withClient } from './connection.ts';

/** When the server was started, and where it listens. */
export async function identify(url: string, signal: AbortSignal): Promise<string> {
  return await withClient(
    { connectionString: url, application_name: 'fair-bench control' },
    signal,
    async (client) => {
      const { rows } = await client.query<{ words: string }>(
        "SELECT concat_ws(' ', pg_postmaster_start_time(), inet_server_addr(), inet_server_port()) AS words",
      );
      return rows[0]?.words ?? '';
    },
  );
}
