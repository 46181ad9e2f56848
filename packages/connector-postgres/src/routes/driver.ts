import type { RouteDefinition } from '@fair-bench/contract';
import { timedSessionConfig } from '../connection.ts';
import { postgresDeployment } from '../deployment.ts';
import { probeFor } from '../probe.ts';
import { startPostgres } from '../service.ts';
import { connectTransferSession } from '../transfer-session.ts';

/** PostgreSQL straight by node-postgres: what an application server's HTTP hop is priced against. */
export const driver: RouteDefinition = {
  probe: probeFor(['preparedStatements', 'functions']),
  async provision(context) {
    const { target, options } = context;
    const service = await startPostgres(context);
    const applicationName = `fair-bench ${target}`;
    return postgresDeployment(service, {
      target,
      endpoint: { url: service.url, options: { applicationName } },
      wireProtocol: 'postgresql v3 extended, prepared, pipelined',
      writersMax: options.sessionsMax,
      sessions: {
        kind: 'client',
        applicationName,
        async readSettings(signal) {
          const session = await connectTransferSession(
            timedSessionConfig(service.url, applicationName),
            signal,
          );
          try {
            return await (await session.connection()).settings();
          } finally {
            await session.close();
          }
        },
      },
    });
  },
};
