/** What a load client needs of this package: it starts in half of the time without the rest. */
export {
  type ClientCommand,
  type ClientEvent,
  type Phase,
  clientCommandSchema,
  clientEventSchema,
} from './load-client-events.ts';
export { type Loop, type TrialPlan, protocolVersion, shareOf, trialPlanSchema } from './trial-plan.ts';
export {
  type AgentShare,
  type EncodedHistogram,
  type OperationResult,
  type OutcomeCounts,
  type SeriesPoint,
  type TrialResult,
  trialResultSchema,
} from './trial-result.ts';
