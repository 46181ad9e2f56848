import { fileURLToPath } from 'node:url';
import type { RouteDefinition, StatementProtocol } from '@fair-bench/contract';
import { rpcWireProtocol, startAppServer, withRuntime } from '@fair-bench/rpc';
import { withBinding } from '@fair-bench/supervisor';
import type { Need } from '../capabilities.ts';
import { postgresDeployment } from '../deployment.ts';
import { probeFor } from '../probe.ts';
import { extraSchema } from '../profile.ts';
import { sqlBindingFile, startPostgres } from '../service.ts';

/** PostgreSQL behind an HTTP server that uses Drizzle ORM. */
export const drizzle = appServerRoute('postgres-drizzle', {
  file: 'postgres-drizzle.ts',
  needs: ['preparedStatements'],
  statementProtocol: null,
});

/** PostgreSQL behind an HTTP server that makes one prepared call per operation. */
export const storedproc = appServerRoute('postgres-storedproc', {
  file: sqlBindingFile,
  needs: ['preparedStatements', 'functions'],
  statementProtocol: 'prepared',
});

interface AppServerRoute {
  /** The name of its bindings in the folders of workloads. */
  readonly file: string;
  /** Of the database. */
  readonly needs: readonly Need[];
  readonly statementProtocol: StatementProtocol | null;
}

/** A route through one of our application servers. */
function appServerRoute(server: string, { file, needs, statementProtocol }: AppServerRoute): RouteDefinition {
  return {
    probe: withBinding(file, withRuntime(probeFor(needs, 'poolSize'))),
    async provision(context) {
      const { target, options } = context;
      const { clientCodec: codec } = extraSchema.parse(options.extra);
      const service = await startPostgres(context);
      const { endpoint, clientCodec, appServer } = await startAppServer(context, {
        file,
        // By its path: the servers import this package, not the other way round.
        modulePath: fileURLToPath(new URL(`../../../../rpc-servers/${server}/src/main.ts`, import.meta.url)),
        runtime: options.appRuntime,
        processes: options.processes,
        poolSize: options.poolSize,
        backend: {
          url: service.pooler?.url ?? service.url,
          // An ORM brings its own calls.
          ...(needs.includes('functions') ? { codec } : {}),
        },
      });
      return postgresDeployment(service, {
        target,
        endpoint,
        clientCodec,
        statementProtocol,
        wireProtocol: rpcWireProtocol,
        sessionsMax: options.sessionsMax,
        sessions: { kind: 'appServer', appServer },
      });
    },
  };
}
