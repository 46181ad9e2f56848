import type { Deployment } from '@fair-bench/contract';
import type { Cell, Phase, TrialResult } from '@fair-bench/results';
import type { StorageProbe } from '../probes/storage.ts';
import type { TrialProbe } from '../probes/trial-probe.ts';
import type { SeedSetting } from '../seed/seed.ts';
import type { SliceOf } from '../seed/slices.ts';
import type { LoadClientSource, TrialEvents } from './load-client-process.ts';
import type { TrialPaths, TrialRun } from './trial-plan.ts';
import type { WireDepths } from './wire-depth.ts';

/** The phase of a trial, for the display. */
export type TrialStage = 'seed' | 'settle' | 'start' | Phase | 'audit';

export interface TrialSetting extends SeedSetting {
  readonly cell: Cell;
  readonly deployment: Deployment;
  readonly run: TrialRun;
  /** From 0. */
  readonly round: number;
  /** Where it is a part of one long load. */
  readonly slice?: SliceOf | undefined;
  /** Measures the storage at the target's data directory; null if it is not visible. */
  readonly storage: (directory: string | null) => Promise<StorageProbe | null>;
  readonly loadClient: LoadClientSource;
  readonly paths: TrialPaths;
  /**
   * Counts the requests of a local load client's session on the wire; once per target and depth, so one probe for all
   * trials.
   */
  readonly wire?: { readonly depths: WireDepths; readonly loadClient: LoadClientSource };
  /** What is looked at besides what every trial has. */
  readonly probes?: readonly TrialProbe[];
  /** Which start of its target it is, from 1. */
  readonly deploymentOrdinal?: number;
  readonly onStage?: (stage: TrialStage) => void;
  readonly onEvent?: TrialEvents;
  /** Called with the load client's measurements before the audit, when nothing is timed any more. */
  readonly onMeasured?: (result: TrialResult) => void;
}
