import type { ContrastEstimate } from '@fair-bench/analysis';
import type { ClusterNode } from '@fair-bench/contract';
import type { TargetsContext } from '../provision/targets.ts';
import type { LoadAgentsSetting } from '../options/load-agents.ts';
import type { Search, Question } from '@fair-bench/results';

/** Everything that a run needs beside its plan. */
export interface RunContext extends Omit<TargetsContext, 'supervisor'> {
  /** The workspace: where its lockfile and its git history are. */
  readonly root: string;
  /** The run's folder; it exists, can be written, and holds no other run. */
  readonly directory: string;
  /** The data directory of databases, or null if the user did not choose one. */
  readonly dataDirectory: string | null;
  /** The agents that send the load; null: load clients are processes of this machine. */
  readonly loadAgents: LoadAgentsSetting | null;
  /** Target → the servers of the user's cluster, with their passwords. */
  readonly nodes: ReadonlyMap<string, readonly ClusterNode[]>;
  /** What the run answers beside its cells. */
  readonly question?: Question;
  /** What the search of an earlier run found, from which this one goes on. */
  readonly earlierSearch?: readonly Search[];
  /** Why faults of the plan cannot be injected into targets, by `lackName`. */
  readonly faultLacks?: ReadonlyMap<string, { readonly reason: string; readonly remedy: string }>;
  /** How long this process had run before the command that the budget bounds began, milliseconds; a run by itself: 0. */
  readonly beganMs?: number;
  /** Aborted to end the run early: measured trials are saved, and the run is marked. */
  readonly signal: AbortSignal;
  readonly display: Display;
}

/** What a run shows to the user. Fed by the control plane, never by the timed loop. */
export interface Display {
  /** A line that stays. */
  message(line: string): void;
  /** Trial number `n` (from 1) of `of` begins; its title says which cell, and which round or that it is a search. */
  trialStarted(title: string, n: number, of: number): void;
  /** The phase of the trial: `seed`, `settle`, `warmup`, `window`, `drain`, `audit`. */
  phase(phase: string): void;
  /** Live throughput: operations applied per second, and the duration of this phase so far, milliseconds. */
  progress(tps: number, elapsedMs: number): void;
  /** The trial's outcome in words, and whether it has a number. */
  trialEnded(outcome: string, passed: boolean): void;
  /** The state of a comparison after each round of it. */
  contrast(estimate: ContrastEstimate): void;
  /** Restores the terminal; nothing is shown afterwards. May be called again. */
  close(): void;
}
