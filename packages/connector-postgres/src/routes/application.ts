import { setTimeout as sleep } from 'node:timers/promises';
import { ourSchema, type RouteDefinition, tlsSetting } from '@fair-bench/contract';
import { rpcWireProtocol } from '@fair-bench/rpc';
import { startApplication } from '@fair-bench/rpc/application';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { withClient } from '../connection.ts';
import { postgresDeployment } from '../deployment.ts';
import { probeFor } from '../probe.ts';
import { type PostgresService, startPostgres } from '../service.ts';
import { readSettings, type Settings } from '../settings.ts';
import { withOptions } from '../session-url.ts';

/** An idle session reports what it did after this long (PGSTAT_IDLE_INTERVAL in PostgreSQL's pgstat.c), and a little later here. */
const reportedMs = 10_500;
const pollMs = 250;
const awaitedMsMax = 20_000;
const namesakesMsMax = 10_000;
const idleSchema = z.tuple([z.object({ idle_ms: z.coerce.number().nullable() })]);

/** Whether no session of others has done anything for so long, which is awaited: they are not ours to end. False where one is never idle. */
async function untilReported(client: ClientBase, signal: AbortSignal): Promise<boolean> {
  const deadline = Date.now() + awaitedMsMax;
  while (Date.now() < deadline) {
    const { rows } = await client.query(
      `SELECT extract(epoch FROM clock_timestamp() - max(state_change)) * 1000 AS idle_ms FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND datname = current_database() AND application_name NOT LIKE 'fair-bench %'
         AND pid <> pg_backend_pid()`,
    );
    const [{ idle_ms: idleMs }] = idleSchema.parse(rows);
    if (idleMs === null || idleMs > reportedMs) return true;
    await sleep(Math.max(pollMs, reportedMs - idleMs), undefined, { signal });
  }
  return false;
}

/** What is the server's: the application's sessions have their own encryption. */
async function settingsOfServer(client: ClientBase): Promise<Settings> {
  const { [tlsSetting]: _ours, ...settings } = await readSettings(client);
  return settings;
}

/**
 * Where a driver does not know the search path of a URL, the application's statements reach the tables of that name which its user finds
 * first. Rejects where there are such in the user's database.
 */
async function refuseNamesakes(service: PostgresService, target: string): Promise<void> {
  if (service.provider !== 'url') return;
  const described = service.shapes.map(({ name, storedAs = name }) => storedAs);
  const names = [...described, ...(service.own?.others.names ?? [])];
  await service.control.use(AbortSignal.timeout(namesakesMsMax), async (client) => {
    const { rows } = await client.query(
      `SELECT to_regclass(quote_ident(name))::text AS found FROM unnest($1::text[]) AS name
       WHERE to_regclass(quote_ident(name)) <> to_regclass(quote_ident($2) || '.' || quote_ident(name))`,
      [names, ourSchema()],
    );
    const found = z.array(z.object({ found: z.string() })).parse(rows);
    if (found.length === 0) return;
    const listed = found.map((one) => one.found).join(', ');
    throw new Error(
      `${target}: its user has ${listed} in this database, which an application would write to if its driver drops the search path of its URL; give the URL of a database without them`,
    );
  });
}

/**
 * PostgreSQL behind the user's own application. Its tables are in our schema, which comes first in the
 * search path of the URL that it is given. How many transactions it makes of an operation is its own affair.
 */
export const application: RouteDefinition = {
  probe: probeFor([], 'poolSize'),
  async provision(context) {
    const { target, options } = context;
    const service = await startPostgres(context);
    await refuseNamesakes(service, target);
    // As the user wrote it: what we add for our own driver, others do not know.
    const url = withOptions(options.url ?? service.url, { search_path: ourSchema() });
    const running = await startApplication(context, url);
    const database = postgresDeployment(service, {
      target,
      endpoint: running.endpoint,
      clientCodec: 'stock',
      statementProtocol: null,
      wireProtocol: rpcWireProtocol,
      // Each request has a connection of its own.
      sessionsMax: options.sessionsMax * options.depthMax,
      sessions: {
        kind: 'client',
        applicationName: `fair-bench ${target}`,
        // Of a session with the URL that the application is given; what it sets itself does not show.
        readSettings: async (signal) =>
          await withClient({ connectionString: service.url }, signal, settingsOfServer),
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
        const isReported = await service.control.use(
          signal,
          async (client) => await untilReported(client, signal),
        );
        if (!isReported) return {};
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
