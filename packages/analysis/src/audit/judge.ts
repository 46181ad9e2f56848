import { checkAcknowledgedVisible } from './checks/acknowledged-visible.ts';
import { checkAgentWindows } from './checks/agent-windows.ts';
import { checkAppliedWork } from './checks/applied-work.ts';
import { checkChangedRows } from './checks/changed-rows.ts';
import { checkCommitCounter } from './checks/commit-counter.ts';
import { checkConditions } from './checks/conditions.ts';
import { checkDoneAtWindowEnd } from './checks/done-at-window-end.ts';
import { checkDurableFlushes } from './checks/durable-flushes.ts';
import { checkDurableStorage } from './checks/durable-storage.ts';
import { checkExplainedCommits } from './checks/explained-commits.ts';
import { checkFaults } from './checks/faults.ts';
import { checkFlushedWhenVisible } from './checks/flushed-when-visible.ts';
import { checkHost } from './checks/host.ts';
import { checkInFlight } from './checks/in-flight.ts';
import { checkIsolation } from './checks/isolation.ts';
import { checkLatencyRecord } from './checks/latency-record.ts';
import { checkLittlesLaw } from './checks/littles-law.ts';
import { checkNaturalCanaries } from './checks/natural-canaries.ts';
import { checkOfferedLoad } from './checks/offered-load.ts';
import { checkOneTransactionEach } from './checks/one-transaction-each.ts';
import { checkPooler } from './checks/pooler.ts';
import { checkReplyBursts } from './checks/reply-bursts.ts';
import { checkSaturation } from './checks/saturation.ts';
import { checkSettingsInWindow } from './checks/settings-in-window.ts';
import { checkStableFacts } from './checks/stable-facts.ts';
import { checkState } from './checks/state.ts';
import { checkStatementProtocol } from './checks/statement-protocol.ts';
import { checkSteadyState } from './checks/steady-state.ts';
import { checkWindowClock } from './checks/window-clock.ts';
import { checkWindowLength } from './checks/window-length.ts';
import { checkWindowWork } from './checks/window-work.ts';
import type { Check, Judgement, TrialEvidence } from './evidence.ts';

export { type Check, type Judgement, type TrialEvidence } from './evidence.ts';

/** Every audit rule. No option leaves one out. */
const checks: readonly Check[] = [
  checkState,
  checkIsolation,
  checkConditions,
  checkAppliedWork,
  checkAcknowledgedVisible,
  checkNaturalCanaries,
  checkChangedRows,
  checkDoneAtWindowEnd,
  checkExplainedCommits,
  checkCommitCounter,
  checkDurableFlushes,
  checkDurableStorage,
  checkFlushedWhenVisible,
  checkOneTransactionEach,
  checkStableFacts,
  checkSettingsInWindow,
  checkWindowClock,
  checkWindowLength,
  checkWindowWork,
  checkAgentWindows,
  checkLittlesLaw,
  checkLatencyRecord,
  checkOfferedLoad,
  checkInFlight,
  checkStatementProtocol,
  checkPooler,
  checkReplyBursts,
  checkFaults,
  checkSaturation,
  checkHost,
  checkSteadyState,
];

/** Judges a trial by every rule. It passes when no judgement is a void. */
export function judge(evidence: TrialEvidence): readonly Judgement[] {
  return checks.flatMap((check) => check(evidence));
}
