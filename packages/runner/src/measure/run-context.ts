import type { Standing } from '@fair-bench/analysis';
import type { Route } from '@fair-bench/contract';
import type { FoundConnector } from '../discover/workspace.ts';
import type { LoadedWorkload } from '../discover/workload.ts';
import type { LoadAgentsSetting } from '../options/load-agents.ts';
import type { Study } from '@fair-bench/results';

/** All that a run needs beside its plan. */
export interface RunContext {
  /** The workspace: where its lockfile and its git history are. */
  readonly root: string;
  /** The run's folder; it exists, can be written, and holds no other run. */
  readonly directory: string;
  /** Target → the user's endpoint, complete with its password. Never written down. */
  readonly urls: Readonly<Record<string, string>>;
  /** Where databases put their data, or null when the user left that to us. */
  readonly dataDirectory: string | null;
  /** The connectors of the plan's targets, by the plan's `connector`. */
  readonly connectors: ReadonlyMap<string, LoadedConnector>;
  readonly workload: LoadedWorkload;
  /** The agents that carry the load; null: load clients are processes of this machine. */
  readonly loadAgents: LoadAgentsSetting | null;
  /** What the run computes beside its cells. */
  readonly study?: Study;
  /** Aborted when the run is to end early: what was measured is saved and marked. */
  readonly signal: AbortSignal;
  readonly display: Display;
}

export interface LoadedConnector {
  readonly found: FoundConnector;
  readonly connector: Route;
}

/** What a run shows the person in front of it. Fed by the control plane, never by the timed loop. */
export interface Display {
  /** A line that stays. */
  message(line: string): void;
  /** Trial number `n` (from 1) of `of` begins: one cell in one round (from 1). */
  trialStarted(cell: string, round: number, n: number, of: number): void;
  /** What the trial is at: `seed`, `settle`, `warmup`, `window`, `drain`, `audit`. */
  phase(phase: string): void;
  /** Live throughput: operations applied per second, and how long this phase has lasted, milliseconds. */
  progress(tps: number, elapsedMs: number): void;
  /** The trial's outcome in words, and whether it has a number. */
  trialEnded(outcome: string, passed: boolean): void;
  /** Where a comparison of the run stands, after each round of it. */
  contrast(standing: Standing): void;
  /** Leaves the terminal in good order; nothing is shown afterwards. Calling again is harmless. */
  close(): void;
}
