import type { ClientCodec, Deployment, Endpoint, StatementProtocol } from '@fair-bench/contract';
import type { AppServer } from '@fair-bench/rpc';
import type { PostgresService } from './service.ts';
import { observePostgres } from './observer.ts';
import { type Settings, factsFromSettings } from './settings.ts';

interface PostgresDeploymentParts {
  readonly target: string;
  readonly endpoint: Endpoint;
  readonly clientCodec: ClientCodec;
  /** Null where an ORM decides it for each statement. */
  readonly statementProtocol: StatementProtocol | null;
  readonly wireProtocol: string;
  readonly sessionsMax: number;
  /** How timed sessions are reached: through an application server, or opened by the load client. */
  readonly sessions:
    | { readonly kind: 'appServer'; readonly appServer: AppServer }
    | {
        readonly kind: 'client';
        /** The name of every timed session in `pg_stat_activity`, so that their end can be awaited. */
        readonly applicationName: string;
        /** Opens a session with the same options and reads `settingsQuery` in it. */
        readonly readSettings: (signal: AbortSignal) => Promise<Settings>;
      };
}

/**
 * Connections report what they did when they end. Those without any operation since they were opened have nothing to report,
 * and a trial begins with them.
 */
async function restUsed(appServer: AppServer | null, signal: AbortSignal): Promise<void> {
  if (appServer === null) return;
  const { peak } = await appServer.inFlight(signal);
  if (peak !== 0) await appServer.rest(signal);
}

/** Composes the deployment of a `postgres-*` target from its service and the route's own part. */
export function postgresDeployment(service: PostgresService, parts: PostgresDeploymentParts): Deployment {
  const { sessions } = parts;
  const { pooler } = service;
  const appServer = sessions.kind === 'appServer' ? sessions.appServer : null;
  return {
    endpoint: parts.endpoint,
    processes: [...service.processes, ...(pooler?.processes ?? []), ...(appServer?.processes ?? [])],
    async check(signal) {
      await service.check(signal);
      await pooler?.check(signal);
      await appServer?.check(signal);
    },
    async prepare(signal, poolSize) {
      await service.prepare(signal);
      await appServer?.recycle(signal, poolSize);
    },
    ...(appServer === null ? {} : { rest: async (signal) => await appServer.rest(signal) }),
    async facts(signal) {
      const read =
        sessions.kind === 'appServer'
          ? await sessions.appServer.facts(signal)
          : { appServer: null, settings: await sessions.readSettings(signal) };
      const pooled = await pooler?.facts(signal);
      const { system, durability, isolation, settings, dataDirectory, tablespaces } = factsFromSettings(
        read.settings,
      );
      return {
        system,
        provider: service.provider,
        durability,
        isolation,
        settings: { ...settings, ...service.settings, ...pooled?.settings },
        appServer: read.appServer,
        ...(pooled === undefined ? {} : { pooler: pooled.pooler }),
        clientCodec: parts.clientCodec,
        ...(parts.statementProtocol === null ? {} : { statementProtocol: parts.statementProtocol }),
        wireProtocol: parts.wireProtocol,
        writersMax: Math.min(
          pooled?.pooler.poolSize ?? Number.POSITIVE_INFINITY,
          read.appServer === null
            ? parts.sessionsMax
            : read.appServer.poolSizePerProcess * read.appServer.processes,
        ),
        storage: await service.storage(dataDirectory, tablespaces),
      };
    },
    async counters(signal) {
      await restUsed(appServer, signal);
      const own = await appServer?.counters(signal);
      // Its connections outlive the sessions, and would report later what they did.
      const pooled = await pooler?.endConnections(signal);
      const ending = {
        ...(sessions.kind === 'client' ? { applicationName: sessions.applicationName } : {}),
        ...(pooled === undefined ? {} : { backends: pooled.backends }),
      };
      const counted = await service.counters(ending, signal);
      return { ...counted, ...(pooled === undefined ? {} : { pooled: pooled.transactions }), ...own };
    },
    background: async (signal) => await service.background(signal),
    inFlight: async (signal) => (await appServer?.inFlight(signal)) ?? null,
    observe: async (signal) => await observePostgres(service, signal),
    tables: service.tables,
    close: async () => await appServer?.close(),
  };
}
