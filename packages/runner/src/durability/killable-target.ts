import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Deployment,
  messageOf,
  type ProcessSpecification,
  type Route,
  type SupervisedProcess,
  type Supervisor,
  type TargetOptions,
  type ClusterNode,
} from '@fair-bench/contract';
import { type Cores, createSupervisor, Deployments } from '@fair-bench/supervisor';
import { Cluster } from './cluster.ts';
import { killTrees } from './kill-trees.ts';

const startTimeoutMs = 60_000;
/** Of each log, in an error. */
const logLines = 8;

/** A target whose servers can be killed and restarted on the same data and address. */
export interface KillableTarget {
  readonly deployment: Deployment;
  /** Its servers that run now, of a cluster the one that sessions reach: the roots of their process trees. */
  running(): Promise<readonly number[]>;
  /** Finds the node of a cluster that sessions reach now, for what follows; nothing to find without one. */
  aim(): Promise<void>;
  /** Resolves when the node that was aimed at does not answer, and rejects where it goes on; without a cluster at once. */
  struck(): Promise<void>;
  /** Sends SIGKILL to all of these at once; resolves when they are gone. */
  kill(): Promise<void>;
  /** Restarts what no longer runs, with the same programs and arguments; resolves with their number when they answer. */
  restart(): Promise<number>;
  /** Why a node of a cluster that was killed did not come back; null while all have. The others are still the target. */
  notBack(): string | null;
}

interface KillableSetting {
  readonly route: Route;
  readonly options: TargetOptions;
  /** The data directory; on a disk by default. */
  readonly dataRoot?: string | undefined;
  /** The folder of its logs, which stay there; without it they are removed with the target. */
  readonly logDirectory?: string;
  /** Ends the waiting for a start. */
  readonly signal?: AbortSignal | undefined;
  /** The processors of its servers; null or absent means all. */
  readonly cores?: Cores | null;
  /** The servers of a cluster of the user's; empty for servers that are started here. */
  readonly nodes?: readonly ClusterNode[];
  /** How long a server that is started again may take to answer, if that is longer than at its start. */
  readonly restartMsMax?: number;
}

/** A server, by what it was started with and what runs now. */
interface Server {
  readonly specification: ProcessSpecification;
  child: SupervisedProcess;
  starts: number;
}

/**
 * Starts a target as a run does, passes it to `use`, and afterwards removes it with its data. It finds the processes
 * in /proc, so it needs Linux.
 */
export async function withKillableTarget<Result>(
  setting: KillableSetting,
  use: (target: KillableTarget) => Promise<Result>,
): Promise<Result> {
  const { route, options, dataRoot, signal, cores = null, restartMsMax = 0 } = setting;
  const { logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-kill-')) } = setting;
  const supervisor = createSupervisor({
    logDirectory,
    cores,
    ...(dataRoot === undefined ? {} : { dataRoot }),
    ...(signal === undefined ? {} : { signal }),
  });
  const servers: Server[] = [];
  const noting: Supervisor = {
    ...supervisor,
    async start(specification) {
      const child = await supervisor.start(specification);
      servers.push({ specification, child, starts: 1 });
      return child;
    },
  };
  // Servers that are started again, much later, look at the same signal.
  const starting = new AbortController();
  const late = setTimeout(
    () => starting.abort(new Error(`it did not start within ${startTimeoutMs} ms`)),
    startTimeoutMs,
  );
  const deployments = new Deployments({
    supervisor: noting,
    signal: AbortSignal.any([starting.signal, ...(signal === undefined ? [] : [signal])]),
  });
  const { nodes = [] } = setting;
  const cluster = nodes.length === 0 ? null : new Cluster(route, options.url ?? '', nodes);
  const again = async (server: Server): Promise<void> => await startAgain(supervisor, server, restartMsMax);
  const what = cluster === null ? ofServers(servers, again) : ofCluster(cluster, restartMsMax);
  try {
    const deployment = await deployments.ensure(route.name, route, options);
    clearTimeout(late);
    return await use({ deployment, ...what });
  } catch (cause) {
    // The logs that it names may be removed.
    throw new Error(`${route.name}: ${messageOf(cause)}${await lastLinesIn(logDirectory)}`, { cause });
  } finally {
    clearTimeout(late);
    // What was killed is started again, however the trial ended.
    if (cluster !== null) await what.restart().catch(() => undefined);
    // The cluster can be cleaned up only when nothing runs in it; one that cannot be ended does not save the others.
    const restarted = servers.filter(({ starts }) => starts > 1).toReversed();
    for (const { child } of restarted) await child.stop().catch(() => undefined);
    await deployments.closeAll();
    try {
      await supervisor.stopAll();
    } finally {
      if (setting.logDirectory === undefined) await rm(logDirectory, { recursive: true, force: true });
    }
  }
}

type Struck = Omit<KillableTarget, 'deployment'>;

/** What is done to servers that were started for the target. */
function ofServers(servers: readonly Server[], again: (server: Server) => Promise<void>): Struck {
  return {
    aim: async () => await Promise.resolve(),
    struck: async () => await Promise.resolve(),
    running: async () =>
      await Promise.resolve(servers.flatMap(({ child }) => (child.running() ? [child.pid] : []))),
    async kill() {
      const alive = servers.filter(({ child }) => child.running());
      await killTrees(alive.map(({ child }) => child.pid));
      // Their ends are known here a moment after they are gone.
      await Promise.all(alive.map(async ({ child }) => await child.ended));
    },
    async restart() {
      const ended = servers.filter(({ child }) => !child.running());
      for (const server of ended) await again(server);
      return ended.length;
    },
    notBack: () => null,
  };
}

function ofCluster(cluster: Cluster, restartMsMax: number): Struck {
  return {
    aim: async () => await cluster.aim(),
    struck: async () => await cluster.struck(),
    running: async () => await cluster.running(),
    kill: async () => await cluster.kill(),
    restart: async () => await cluster.restart(Math.max(startTimeoutMs, restartMsMax)),
    notBack: () => cluster.notBack,
  };
}

async function startAgain(supervisor: Supervisor, server: Server, timeoutMs: number): Promise<void> {
  const { specification } = server;
  const ready = { ...specification.ready, timeoutMs: Math.max(timeoutMs, specification.ready.timeoutMs) };
  const name = `${specification.name}-again${server.starts === 1 ? '' : `-${server.starts}`}`;
  try {
    server.child = await supervisor.start({ ...specification, name, ready });
    server.starts += 1;
  } catch (cause) {
    throw new Error(
      `it did not start again: ${messageOf(cause)}; its command is run again as it was, and must find its data ` +
        'and take the same address: launch prepares the directory once and passes directory and port as arguments',
      { cause },
    );
  }
}

async function lastLinesIn(directory: string): Promise<string> {
  const texts: string[] = [];
  for (const file of (await readdir(directory)).sort()) {
    const lines = (await readFile(join(directory, file), 'utf8')).trim().split('\n').slice(-logLines);
    if (lines.join('') !== '') texts.push(`\nlast lines of ${file}:\n  ${lines.join('\n  ')}`);
  }
  return texts.join('');
}
