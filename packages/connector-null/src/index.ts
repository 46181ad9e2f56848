import { z } from 'zod';
import {
  type Availability,
  defineConnector,
  type Deployment,
  type Facts,
  type ProvisionContext,
  rowObserver,
  type TargetOptions,
} from '@fair-bench/contract';
import { engineRoute } from '@fair-bench/engine/connector';
import { type AppServer, controlTables, rpcEndpoint, rpcWireProtocol, startRpcServer } from '@fair-bench/rpc';
import { lackFor, mainPath } from '@fair-bench/rpc-server-null';
import { memoryEngine } from './memory-engine.ts';

const extraSchema = z.strictObject({
  /** How long after its arrival each operation is answered, in milliseconds. */
  delayMs: z.coerce.number().min(0).max(60_000).default(0),
});

const version = '1';

/** The harness's own ceiling: the model over rows in memory, behind the same RPC protocol or in the load client, no database. */
export default defineConnector({
  system: 'null',
  fairProfile: [],
  routes: { http: { probe, provision }, embedded: engineRoute(memoryEngine) },
});

function probe(options: TargetOptions): Promise<Availability> {
  const problem = problemWith(options);
  if (problem === null) return Promise.resolve({ available: true, provider: 'in-process', version });
  return Promise.resolve({ available: false, ...problem });
}

async function provision(context: ProvisionContext): Promise<Deployment> {
  const { options, target, supervisor } = context;
  const { workload } = options;
  if (workload === null) throw new Error(`${target}: no workload is chosen; name one`);
  const problem = problemWith(options);
  if (problem !== null) throw new Error(`${target}: ${problem.reason}; ${problem.remedy}`);
  const { url, appServer, ask } = await startRpcServer(supervisor, {
    name: `${target}-server`,
    modulePath: mainPath,
    runtime: 'node',
    settings: {
      // One memory has one process.
      processes: 1,
      retriesMax: 0,
      workload: workload.shape,
      backend: { ...extraSchema.parse(options.extra), description: workload.description },
    },
  });
  const tables = controlTables('null', ask, workload.shape.tables);
  return {
    ...appServer,
    // What it measures is ours: the library of applications would be the ceiling.
    endpoint: rpcEndpoint(url, 'tuned'),
    prepare: (signal) => appServer.recycle(signal),
    facts: async (signal) => factsOf(await appServer.facts(signal)),
    // The server has no database: only its rows can be observed.
    observe: (signal) => Promise.resolve(rowObserver(tables, signal)),
    tables,
  };
}

function problemWith(options: TargetOptions): { reason: string; remedy: string } | null {
  if (options.url !== undefined) {
    return {
      reason: 'it has no database for a URL',
      remedy: 'leave the URL out: its server is started here',
    };
  }
  const reason = options.workload === null ? null : lackFor(options.workload.description);
  if (reason !== null) return { reason, remedy: 'leave this target out, or name another workload' };
  const parsed = extraSchema.safeParse(options.extra);
  if (parsed.success) return null;
  return {
    reason: z.prettifyError(parsed.error),
    remedy: 'give delayMs as milliseconds, 0 to 60000',
  };
}

function factsOf({ appServer, settings }: Awaited<ReturnType<AppServer['facts']>>): Facts {
  return {
    system: { name: 'null', version },
    provider: 'in-process',
    durability: 'none',
    // One thread takes one operation after the other.
    isolation: 'serializable',
    settings,
    appServer,
    wireProtocol: rpcWireProtocol,
    writersMax: 1,
    storage: { directory: null, fileSystem: 'memory' },
  };
}
