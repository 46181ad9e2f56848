import type { RouteDefinition } from '@fair-bench/contract';
import { readSqlBinding, statementsOf } from '@fair-bench/sql';
import { bindingOf, withBinding } from '@fair-bench/supervisor';
import { timedSessionConfig } from '../connection.ts';
import { batchShape } from '../batch.ts';
import { postgresDeployment } from '../deployment.ts';
import { nameOfSessions } from '../poolers/start.ts';
import { probeFor } from '../probe.ts';
import { preparedIf } from '../capabilities.ts';
import { connectPrepared } from '../prepared-session.ts';
import { extraSchema } from '../profile.ts';
import { sqlBindingFile, startPostgres } from '../service.ts';
import { textsFor } from '../simple-texts.ts';
import { dialect, wireProtocols } from '../statements.ts';

/** PostgreSQL directly by node-postgres: the price of an application server's HTTP hop is measured against it. */
export const driver: RouteDefinition = {
  probe: withBinding(
    sqlBindingFile,
    async (options) => await probeFor(['functions', ...preparedIf(options.protocol)], 'sessions')(options),
  ),
  async provision(context) {
    const { target, options } = context;
    const { workload, path } = bindingOf(target, options, sqlBindingFile);
    const service = await startPostgres(context);
    const { clientCodec: codec } = extraSchema.parse(options.extra);
    const { protocol } = options;
    const { operations } = workload.shape;
    const batches = options.batchMax > 1;
    const calls = batches ? [...operations, batchShape(workload.shape)] : operations;
    const statements = statementsOf(calls, readSqlBinding(path).statements, dialect);
    const sent = { statements, codec, protocol, texts: textsFor(protocol, calls, statements) };
    const applicationName = nameOfSessions(target);
    const url = service.pooler?.url ?? service.url;
    return postgresDeployment(service, {
      target,
      endpoint: { url, options: { applicationName, ...sent, ...(batches ? { batches } : {}) } },
      clientCodec: codec,
      statementProtocol: protocol,
      wireProtocol: wireProtocols[protocol],
      sessionsMax: options.sessionsMax,
      sessions: {
        kind: 'client',
        applicationName,
        async readSettings(signal) {
          const session = await connectPrepared(
            timedSessionConfig(url, applicationName),
            { workload: workload.shape, ...sent, batches },
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
