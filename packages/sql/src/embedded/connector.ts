import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  type Availability,
  type Connector,
  defineConnector,
  type Deployment,
  type Facts,
  messageOf,
  type ProvisionContext,
  rowObserver,
  type TargetOptions,
} from '@fair-bench/contract';
import { type AppServer, controlTables, rpcWireProtocol, startAppServer } from '@fair-bench/rpc';
import { bindingOf, storageOf, withBinding } from '@fair-bench/supervisor';
import { bindingFiles } from '../system.ts';
import { type EmbeddedServerSettings, type EmbeddedSql, versionSetting } from './system.ts';

/**
 * A connector of one route: the engine inside an RPC server of one process. Its operations are in a workload's
 * `<system>.ts`, or its family's, by `bindSql`.
 * @param mainUrl the module that passes `embeddedSqlServer(system)` to `runRpcServer`.
 */
export function embeddedSqlConnector(system: EmbeddedSql, route: string, mainUrl: URL): Connector {
  const files = bindingFiles(system, '.ts');
  const probe = async (options: TargetOptions): Promise<Availability> => await probed(system, options);
  return defineConnector({
    system: system.name,
    fairProfile: system.fairProfile,
    routes: {
      [route]: {
        probe: withBinding(files, probe),
        provision: async (context: ProvisionContext) =>
          await deploymentOf(system, files, fileURLToPath(mainUrl), context),
      },
    },
  });
}

async function probed({ title, load }: EmbeddedSql, { url }: TargetOptions): Promise<Availability> {
  if (url !== undefined) {
    const reason = `${title} runs inside its application server and has no URL`;
    return { available: false, reason, remedy: 'leave the URL out: a database is created for the run' };
  }
  try {
    await load?.();
    return { available: true, provider: 'in-process', version: null };
  } catch (error) {
    const reason = `${title} cannot be loaded on ${process.platform}-${process.arch}: ${messageOf(error)}`;
    return { available: false, reason, remedy: 'leave this target out, or use a platform with its binaries' };
  }
}

async function deploymentOf(
  system: EmbeddedSql,
  files: readonly string[],
  modulePath: string,
  context: ProvisionContext,
): Promise<Deployment> {
  const { options, target, supervisor } = context;
  const { poolSize, durability, url: given } = options;
  if (given !== undefined) throw new Error(`${target}: ${system.title} has no URL; leave it out`);
  const { shape } = bindingOf(target, options, files).workload;
  const directory = await supervisor.directory(target);
  const backend = { directory, durability } satisfies EmbeddedServerSettings;
  const { endpoint, clientCodec, appServer, ask } = await startAppServer(context, {
    file: files,
    modulePath,
    // The rows are in this one process: after a kill it must be at the same ports.
    processes: 1,
    port: await supervisor.freePort(),
    controlPort: await supervisor.freePort(),
    poolSize,
    retriesMax: system.retriesMax,
    backend,
  });
  const storage = await storageOf(directory);
  const tables = controlTables(system.name, ask, shape.tables);
  return {
    ...appServer,
    endpoint,
    prepare: async (signal, size) => await appServer.recycle(signal, size),
    facts: async (signal) => ({ ...factsOf(system, await appServer.facts(signal)), clientCodec, storage }),
    observe: (signal) =>
      Promise.resolve({
        ...rowObserver(tables, signal),
        settings: async () => (await appServer.facts(signal)).settings,
      }),
    tables,
    async close() {
      await appServer.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function factsOf(
  { title, writersMax, durabilityBasis, ...system }: EmbeddedSql,
  { appServer, settings: all }: Awaited<ReturnType<AppServer['facts']>>,
): Omit<Facts, 'storage'> {
  const { [versionSetting]: version = 'unknown', ...settings } = all;
  return {
    system: { name: title, version },
    provider: 'in-process',
    durability: system.durabilityOf(settings),
    ...(durabilityBasis === undefined ? {} : { durabilityBasis }),
    isolation: system.isolationOf(settings),
    settings,
    appServer,
    wireProtocol: rpcWireProtocol,
    writersMax: writersMax === 'connections' ? appServer.poolSizePerProcess : writersMax,
  };
}
