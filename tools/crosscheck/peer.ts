import type { Deployment, JsonObject } from '@fair-bench/contract';
import type { ClientName } from '@fair-bench/results';
import type { LoadedWorkload } from '@fair-bench/runner';
import type { Workload } from '@fair-bench/workload';
import type { BenchContext } from '../bench.ts';

/** A load generator of others, beside which one of ours is measured. */
export interface Peer {
  readonly name: string;
  /** Our load client that is compared with it. */
  readonly client: ClientName;
  /** What is measured unless the user says it. */
  readonly defaults: { readonly workload: string; readonly targets: string; readonly sessions: string };
  /** Rejects with the remedy where it is not installed. */
  readonly version: () => Promise<string>;
  /** Threads of our client: as many as the peer has, where that can be set. */
  readonly threads: (sessions: number) => number;
  /** Parameters of the workload in place of its defaults. Throws for a workload that the peer cannot do. */
  readonly parameters: (workload: string) => JsonObject;
  /** One closed loop on a seeded server. Where the server counts the same, it rejects when that did not do what the peer says. */
  readonly measure: (context: BenchContext, load: PeerLoad) => Promise<Measured>;
}

export interface PeerLoad {
  readonly deployment: Deployment;
  readonly loaded: LoadedWorkload;
  readonly workload: Workload;
  readonly sessions: number;
  readonly warmupMs: number;
  readonly windowMs: number;
  /** What our client did per second. */
  readonly ourRate: number;
}

/** A client's counts in its window. */
export interface Measured {
  readonly applied: number;
  readonly declined: number;
  readonly faults: number;
  readonly windowMs: number;
  /** CPU time of the client's process, user and system; NaN where the system does not report it. */
  readonly clientCpuUs: number;
  /** The share of all processors of the machine that were in use, by any process: 0 to 1, or NaN. */
  readonly busy: number;
}
