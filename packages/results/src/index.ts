export { Artifacts } from './artifacts.ts';
export { type ClaimResult, claimResultSchema } from './claim-result.ts';
export { type Claim, type ClaimFigure, type ClaimStatement, claimSchema } from './claim.ts';
export {
  type CommitProbe,
  type DurabilityEvidence,
  type Kill,
  type KillTest,
  type Standing,
  type TargetDurability,
  killTestOf,
  killTestSchema,
  killTestsFile,
  readKillTests,
  standingWords,
  storeKillTests,
} from './durability.ts';
export { type Explanation, type FactorEffect, explanationSchema } from './explanation.ts';
export { combinationOf } from './combination.ts';
export { describeLoops, loopOf } from './loop-of.ts';
export { intervalOf, moderatedMeans, pairedRatios } from './moderated.ts';
export type { NoiseFloor } from './noise-floor.ts';
export { type Observed, observedSchema } from './observed.ts';
export { type Draw, seedOfRound, shuffled, splitMix64 } from './random.ts';
export { type SummaryInput, readArtifacts, readPlan, readSummary } from './read-artifacts.ts';
export {
  type Allocation,
  type Cell,
  type ClientName,
  type Contrast,
  type Mode,
  type PlannedTarget,
  type RunPlan,
  type SearchBounds,
  clientNameSchema,
  modeSchema,
  pinSchema,
  runPlanSchema,
} from './run-plan.ts';
export {
  type IndexedCell,
  type IndexedRun,
  type RunIndex,
  indexedRunOf,
  readRunIndex,
  workOf,
} from './run-index.ts';
export type { Search } from './search.ts';
export {
  type LogEstimate,
  type MeanEstimate,
  type RatioEstimate,
  type RoundPair,
  type RunDeviation,
  deviationOf,
  holmAdjusted,
  logRatioOf,
  meanWithInterval,
  pairedRatio,
  ratioBetweenRuns,
  ratioEstimateOf,
  roundsToDecide,
  significanceLevel,
  minDetectableRatio,
  tFactor,
  unpairedRatio,
} from './statistics.ts';
export { machineOf, noiseFloorFile, readNoiseFloor, storeNoiseFloor } from './stored-noise-floor.ts';
export type { ClaimDesign, ExplainDesign, Study } from './study.ts';
export {
  type AuditSummary,
  type CellSummary,
  type Comparison,
  type Difference,
  type Environment,
  type Figure,
  type ParityRow,
  type RoundTrip,
  type RunSummary,
  type SelfBenchSummary,
  type Verdict,
  type VoidCellTrial,
  type Warning,
  environmentSchema,
  runSummarySchema,
  selfBenchSummarySchema,
} from './summary.ts';
export { type Crossover, type Sweep, type SweepCurve, sweepSchema } from './sweep.ts';
export type { TargetOutcome, UnavailableCell } from './target-outcome.ts';
export {
  type HostConditions,
  type HostSummary,
  type SetAside,
  again,
  disturbanceOf,
  hostBounds,
} from './host.ts';
export { type OpenLoopSummary, sustainedShareMin } from './open-loop.ts';
export {
  type PassedTrial,
  type TrialRecord,
  isPassed,
  trialFile,
  trialRecordSchema,
  withoutUnauditedNumber,
} from './trial-record.ts';
export * from './protocol.ts';
