import { defineConnector } from '@fair-bench/contract';
import { fairProfile, postgresDeployment, probeFor, startPostgres } from '@fair-bench/postgres';
import { appServerOf, rpcWireProtocol, startRpcServer, withRuntime } from '@fair-bench/rpc';
import { mainPath, type PostgresStoredprocSettings } from '@fair-bench/rpc-server-postgres-storedproc';

/** PostgreSQL behind an HTTP server that makes one prepared call for each transfer. */
export default defineConnector({
  name: 'postgres-storedproc',
  fairProfile,
  probe: withRuntime(probeFor(['preparedStatements', 'functions'])),
  async provision(context) {
    const { target, options, supervisor } = context;
    const service = await startPostgres(context);
    const backend: PostgresStoredprocSettings = { url: service.url };
    const poolSizePerProcess = Math.ceil(options.poolSize / options.processes);
    const server = await startRpcServer(supervisor, {
      name: `${target}-server`,
      modulePath: mainPath,
      runtime: options.appRuntime,
      settings: { processes: options.processes, poolSizePerProcess, backend: { ...backend } },
    });
    return postgresDeployment(service, {
      target,
      endpoint: { url: server.url, options: {} },
      wireProtocol: rpcWireProtocol,
      writersMax: poolSizePerProcess * options.processes,
      sessions: { kind: 'appServer', appServer: appServerOf(server) },
    });
  },
});
