import { setTimeout as sleep } from 'node:timers/promises';
import { ourSchema, type RouteDefinition } from '@fair-bench/contract';
import { rpcWireProtocol } from '@fair-bench/rpc';
import { startApplication } from '@fair-bench/rpc/application';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { withClient } from '../connection.ts';
import { postgresDeployment } from '../deployment.ts';
import { probeFor } from '../probe.ts';
import { startPostgres } from '../service.ts';
import { readSettings } from '../settings.ts';
import { withOptions } from '../session-url.ts';

/** An idle session reports what it did after this long (PGSTAT_IDLE_INTERVAL in PostgreSQL's pgstat.c), and a little later here. */
const reportedMs = 10_500;
const pollMs = 250;
const idleSchema = z.tuple([z.object({ idle_ms: z.coerce.number().nullable() })]);

/** Resolves when no session of others has done anything for so long: they are not ours to end. */
async function untilReported(client: ClientBase, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      `SELECT extract(epoch FROM clock_timestamp() - max(state_change)) * 1000 AS idle_ms FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND datname = current_database() AND application_name NOT LIKE 'fair-bench %'
         AND pid <> pg_backend_pid()`,
    );
    const [{ idle_ms: idleMs }] = idleSchema.parse(rows);
    if (idleMs === null || idleMs > reportedMs) return;
    await sleep(Math.max(pollMs, reportedMs - idleMs), undefined, { signal });
  }
}

/**
 * PostgreSQL behind the user's own application. Its tables are those of the description, in our schema, which comes first in the
 * search path of the URL that it is given. How many transactions it makes of an operation is its own affair.
 */
export const application: RouteDefinition = {
  probe: probeFor([], 'poolSize'),
  async provision(context) {
    const { target, options } = context;
    const service = await startPostgres(context);
    const url = withOptions(service.pooler?.url ?? service.url, { search_path: `${ourSchema()},public` });
    const running = await startApplication(context, url);
    const database = postgresDeployment(service, {
      target,
      endpoint: running.endpoint,
      clientCodec: 'stock',
      statementProtocol: null,
      wireProtocol: rpcWireProtocol,
      sessionsMax: options.sessionsMax,
      sessions: {
        kind: 'client',
        applicationName: `fair-bench ${target}`,
        // Of a session with the URL that the application is given; what it sets itself does not show.
        readSettings: async (signal) => await withClient({ connectionString: url }, signal, readSettings),
      },
    });
    return {
      ...database,
      processes: [...database.processes, ...running.processes],
      async check(signal) {
        await database.check(signal);
        await running.check(signal);
      },
      async counters(signal) {
        await service.control.use(signal, async (client) => await untilReported(client, signal));
        const { flushes, checkpoints } = await service.counters({}, signal);
        return {
          ...(flushes === undefined ? {} : { flushes }),
          ...(checkpoints === undefined ? {} : { checkpoints }),
        };
      },
      close: async () => await running.close(),
    };
  },
};
