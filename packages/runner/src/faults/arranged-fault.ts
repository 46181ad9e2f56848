import type { Endpoint } from '@fair-bench/contract';
import type { LoadClientCommand } from '@fair-bench/load-client';
import type { MeasuredFaultTrial, RequestedFault } from '@fair-bench/results';
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
  /** Where the target's servers keep their data, if not where they always do. */
  readonly dataRoot?: string;
  /** Puts something between the load client and the target. */
  readonly reach?: (reach: Reach) => Promise<Reach>;
  /** When the target is loaded: what is there now, nothing takes back. */
  readonly settle?: () => Promise<void>;
  /** Resolves when the fault is in force. */
  begin(target: KillableTarget): Promise<void>;
  /** Resolves when it is over: what was killed answers again. */
  end(target: KillableTarget): Promise<void>;
  /** What a disk took back; of a power cut. */
  readonly forgotten?: () => MeasuredFaultTrial['course']['forgotten'];
}

/** One kind of fault. */
export interface FaultOfKind {
  /** Null where it can be injected. */
  lack(target: FaultedTarget, arrangement: Omit<Arrangement, 'fault'>): Promise<Lack | null>;
  arrange(arrangement: Arrangement): Promise<ArrangedFault>;
}

/** For a fault of which nothing is left. */
export const nothingToRemove = async (): Promise<void> => await Promise.resolve();

/** Servers of the user's are not ours to stop, and an engine in the load client would end the load. */
export function lackOfServers({ found, url }: FaultedTarget, what: string): Lack | null {
  if (found.manifest.factors.hop === 'in-process')
    return {
      reason: 'its engine is inside the load client, and no server can be ' + what,
      remedy: 'choose a route with a server, or run kill-test, which kills engines too',
    };
  if (url === null) return null;
  return {
    reason: `its server is named by a URL, and only a server that the run starts can be ${what}`,
    remedy: 'leave out --url, or choose conn-reset or network',
  };
}
