import { type Endpoint, messageOf, type ClusterNode } from '@fair-bench/contract';
import type { LoadClientCommand } from '@fair-bench/load-client';
import type { MeasuredFaultTrial, RequestedFault } from '@fair-bench/results';
import { processOf } from '../durability/cluster.ts';
import type { KillableTarget } from '../durability/killable-target.ts';
import type { FoundConnector } from '../discover/workspace.ts';

/** Why a fault cannot be injected into a target, one sentence each. */
export interface Lack {
  readonly reason: string;
  readonly remedy: string;
}

/** The target that a fault is for, before it is started. */
export interface FaultedTarget {
  readonly found: FoundConnector;
  /** Named by the user; null for servers that the run starts. */
  readonly url: string | null;
  /** The servers of the user's cluster at that URL; empty without one. */
  readonly nodes: readonly ClusterNode[];
  /** Rejects unless its address leads to one of these nodes. */
  readonly aim: () => Promise<void>;
}

export interface Arrangement {
  /** The repository's folder. */
  readonly root: string;
  readonly fault: RequestedFault;
  /** A new directory on a disk, removed with the run. */
  readonly directory: (name: string) => Promise<string>;
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

/** How the load client of a trial reaches its target. */
export interface Reach {
  readonly endpoint: Endpoint;
  readonly command: LoadClientCommand;
}

/** What is prepared for a fault before its target starts, and removed after the target has ended. */
export interface ArrangedFault extends AsyncDisposable {
  /** The place of the servers' data, if not the usual one. */
  readonly dataRoot?: string;
  /** Puts something between the load client and the target. */
  readonly reach?: (reach: Reach) => Promise<Reach>;
  /** When the target is loaded: what is there now, nothing takes back. */
  readonly settle?: () => Promise<void>;
  /** Resolves when the fault is in force. */
  begin(target: KillableTarget): Promise<void>;
  /** Resolves when it is over: with null, or why what was killed does not answer again. */
  end(target: KillableTarget): Promise<string | null>;
  /** What a disk took back; of a power cut. */
  readonly forgotten?: () => MeasuredFaultTrial['course']['forgotten'];
}

/** One kind of fault. */
export interface FaultOfKind {
  /** Why it cannot be injected into a target; null where it can. Nothing is started for it. */
  readonly lackOf: (target: FaultedTarget) => Lack | null | Promise<Lack | null>;
  /** Why it cannot be injected on this machine, tried once for all targets; absent where every machine can. */
  readonly lackHere?: (arrangement: Omit<Arrangement, 'fault'>) => Promise<Lack | null>;
  arrange(arrangement: Arrangement): Promise<ArrangedFault>;
}

/** For what has nothing to end. */
export const nothingToEnd = async (): Promise<null> => await Promise.resolve(null);

/** Starts again what was killed; why it does not come back, or null. */
export async function restarted(target: KillableTarget): Promise<string | null> {
  return await target.restart().then(() => null, messageOf);
}

/** For a fault of which nothing is left. */
export const nothingToRemove = async (): Promise<void> => await Promise.resolve();

/** Why nothing can be done to the node of a cluster that sessions reach; without a cluster, to a target's servers. */
export async function lackOfNodes(target: FaultedTarget, what: string): Promise<Lack | null> {
  const { nodes } = target;
  if (nodes.length === 0 || process.platform !== 'linux') return lackOfServers(target, what);
  try {
    await target.aim();
    for (const node of nodes) if (what !== 'killed' || node.kill === null) await processOf(node);
    return null;
  } catch (error) {
    return { reason: messageOf(error), remedy: 'mend that, or choose conn-reset or network' };
  }
}

/** Servers of the user's are not ours to stop, and an engine in the load client would end the load. */
export function lackOfServers({ found, url }: FaultedTarget, what: string): Lack | null {
  if (found.manifest.factors.hop === 'in-process')
    return {
      reason: `its engine is inside the load client, and no server can be ${what}`,
      remedy: 'choose a route with a server, or run kill-test, which kills engines too',
    };
  if (process.platform !== 'linux')
    return { reason: 'its processes are found in /proc, which only Linux has', remedy: 'run on Linux' };
  if (found.manifest.application)
    return {
      reason: 'it is an application of yours, and its database is not started here',
      remedy: 'choose conn-reset or network',
    };
  if (url === null) return null;
  return {
    reason: `its server is named by a URL, and only a server that the run starts can be ${what}`,
    remedy:
      'leave out --url, or choose conn-reset or network; kill and pause strike a cluster whose nodes fair-bench.config.ts names',
  };
}
