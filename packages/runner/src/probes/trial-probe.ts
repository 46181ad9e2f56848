import type { Deployment, Facts } from '@fair-bench/contract';
import type { PassedTrial, TrialResult, Warning } from '@fair-bench/results';
import type { ClientCommand, ClientEvent } from '@fair-bench/results/protocol';
import type { SessionOutcomes, Workload } from '@fair-bench/workload';

/** What load clients say, and the window that was ordered of them. */
export type TrialEvent =
  Exclude<ClientEvent, { type: 'result' | 'failed' }> | Extract<ClientCommand, { type: 'window' }>;

/** What a trial's record has besides what is judged, under these names. */
export type ProbedParts = Partial<
  Pick<PassedTrial, 'cores' | 'memory' | 'cold' | 'engineFiles' | 'idleServersShare' | 'soak'>
>;

/** A trial whose load client has ended and whose rows are audited. */
export interface EndedTrial {
  readonly result: TrialResult;
  readonly workload: Workload;
  readonly logs: readonly SessionOutcomes[];
  readonly deployment: Pick<Deployment, 'endpoint' | 'compact'>;
  readonly isAudited: boolean;
  /** What the disk wrote in the window, if the engine is in the load client; null for a server, and where it is not known. */
  readonly windowWrittenBytes: number | null;
}

/** Looks at one thing of a trial: before it, at its events, and after it. */
export interface TrialProbe {
  /** When the data is loaded, and before the load client has its plan. */
  begin?(deployment: Deployment, signal: AbortSignal, facts: Facts): Promise<void>;
  /**
   * At once with each event of the load client.
   * @param pid of the load client, if it is a process of this machine.
   */
  hear?(event: TrialEvent, pid: number | undefined): void;
  /** When all is read: what the record has of it, and what its readers are warned of. */
  end(trial: EndedTrial): Promise<Probed> | Probed;
  /** A failure of the trial, if it has caused it, in its words. */
  reasonOf?(failure: string): string;
}

export interface Probed {
  readonly parts: ProbedParts;
  readonly warnings?: readonly Warning[];
}

/** Nothing was seen. */
export const nothingProbed: Probed = { parts: {} };

/** What all probes saw. */
export async function endAll(probes: readonly TrialProbe[], trial: EndedTrial): Promise<Required<Probed>> {
  const found: Probed[] = [];
  for (const probe of probes) found.push(await probe.end(trial));
  return {
    parts: Object.assign({}, ...found.map(({ parts }) => parts)),
    warnings: found.flatMap(({ warnings = [] }) => warnings),
  };
}
