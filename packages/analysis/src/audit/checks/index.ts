import type { Check } from '../evidence.ts';
import { checkAppliedWork } from './applied-work.ts';
import { checkCommitCounter } from './commit-counter.ts';
import { checkDurableFlushes } from './durable-flushes.ts';
import { checkFaults } from './faults.ts';
import { checkInFlight } from './in-flight.ts';
import { checkLatencyRecord } from './latency-record.ts';
import { checkLittlesLaw } from './littles-law.ts';
import { checkReplyBursts } from './reply-bursts.ts';
import { checkSaturation } from './saturation.ts';
import { checkStableFacts } from './stable-facts.ts';
import { checkState } from './state.ts';
import { checkSteadyState } from './steady-state.ts';
import { checkWindowClock } from './window-clock.ts';

/** Every audit rule. There is no option to leave one out. */
export const checks: readonly Check[] = [
  checkState,
  checkAppliedWork,
  checkCommitCounter,
  checkDurableFlushes,
  checkStableFacts,
  checkWindowClock,
  checkLittlesLaw,
  checkLatencyRecord,
  checkInFlight,
  checkReplyBursts,
  checkFaults,
  checkSaturation,
  checkSteadyState,
];
