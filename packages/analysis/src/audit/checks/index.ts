import type { Check } from '../evidence.ts';
import { checkAcknowledgedVisible } from './acknowledged-visible.ts';
import { checkAgentWindows } from './agent-windows.ts';
import { checkAppliedWork } from './applied-work.ts';
import { checkCommitCounter } from './commit-counter.ts';
import { checkDoneAtWindowEnd } from './done-at-window-end.ts';
import { checkDurableFlushes } from './durable-flushes.ts';
import { checkFaults } from './faults.ts';
import { checkHost } from './host.ts';
import { checkInFlight } from './in-flight.ts';
import { checkLatencyRecord } from './latency-record.ts';
import { checkLittlesLaw } from './littles-law.ts';
import { checkOfferedLoad } from './offered-load.ts';
import { checkReplyBursts } from './reply-bursts.ts';
import { checkSaturation } from './saturation.ts';
import { checkSettingsInWindow } from './settings-in-window.ts';
import { checkStableFacts } from './stable-facts.ts';
import { checkState } from './state.ts';
import { checkSteadyState } from './steady-state.ts';
import { checkWindowClock } from './window-clock.ts';
import { checkWindowWork } from './window-work.ts';

/** Every audit rule. No option leaves one out. */
export const checks: readonly Check[] = [
  checkState,
  checkAppliedWork,
  checkAcknowledgedVisible,
  checkDoneAtWindowEnd,
  checkCommitCounter,
  checkDurableFlushes,
  checkStableFacts,
  checkSettingsInWindow,
  checkWindowClock,
  checkWindowWork,
  checkAgentWindows,
  checkLittlesLaw,
  checkLatencyRecord,
  checkOfferedLoad,
  checkInFlight,
  checkReplyBursts,
  checkFaults,
  checkSaturation,
  checkHost,
  checkSteadyState,
];
