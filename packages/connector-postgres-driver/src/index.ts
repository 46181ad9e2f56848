import { defineConnector } from '@fair-bench/contract';
import {
  connectTransferSession,
  fairProfile,
  postgresDeployment,
  probeFor,
  startPostgres,
  timedSessionConfig,
} from '@fair-bench/postgres';

/** PostgreSQL straight by node-postgres: what an application server's HTTP hop is priced against. */
export default defineConnector({
  name: 'postgres-driver',
  fairProfile,
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
            return await session.settings();
          } finally {
            await session.close();
          }
        },
      },
    });
  },
});
