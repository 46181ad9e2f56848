import type { RouteDefinition } from '@fair-bench/contract';
import { readSqlBinding } from '@fair-bench/sql';
import { bindingOf, withBinding } from '@fair-bench/supervisor';
import { timedSessionConfig } from '../connection.ts';
import { postgresDeployment } from '../deployment.ts';
import { probeFor } from '../probe.ts';
import { connectPrepared } from '../prepared-session.ts';
import { extraSchema } from '../profile.ts';
import { sqlBindingFile, startPostgres } from '../service.ts';

/** PostgreSQL directly by node-postgres: the price of an application server's HTTP hop is measured against it. */
export const driver: RouteDefinition = {
  probe: withBinding(sqlBindingFile, probeFor(['preparedStatements', 'functions'])),
  async provision(context) {
    const { target, options } = context;
    const { workload, path } = bindingOf(target, options, sqlBindingFile);
    const service = await startPostgres(context);
    const { clientCodec: codec } = extraSchema.parse(options.extra);
    const { statements } = readSqlBinding(path);
    const applicationName = `fair-bench ${target}`;
    return postgresDeployment(service, {
      target,
      endpoint: { url: service.url, options: { applicationName, statements, codec } },
      clientCodec: codec,
      wireProtocol: 'postgresql v3 extended, prepared, pipelined',
      processes: 1,
      sessionsMax: options.sessionsMax,
      sessions: {
        kind: 'client',
        applicationName,
        async readSettings(signal) {
          const session = await connectPrepared(
            timedSessionConfig(service.url, applicationName),
            { workload: workload.shape, statements, codec },
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
