export type { Judgement, TrialEvidence } from './audit/evidence.ts';
export { flushesOf } from './audit/checks/durable-flushes.ts';
export { judge } from './audit/judge.ts';
export { brokenByMachine, mayBeTheMachines, notAudited } from './audit/machine.ts';
export { claimMargins, judgeRatios, supportWidthMax } from './claims/judge-ratio.ts';
export { type CellChange, compareCells, noiseFloorOf } from './compare/compare-cells.ts';
export { planDifferences } from './compare/plan-differences.ts';
export { settingDifferences } from './compare/setting-differences.ts';
export { durabilityBasisOf } from './durability/durability-basis.ts';
export { observedInTrials } from './isolation/observed.ts';
export { chooseFraction } from './explain/d-optimal.ts';
export { termsOf } from './explain/model.ts';
export {
  changesMade,
  type Combination,
  sharedGroups,
  type Space,
  spaceOf,
  systemSteps,
  withTwoMerged,
} from './explain/space.ts';
export { describeNoiseFloor, noiseFloorFor } from './noise-floor/noise-floor.ts';
export { clientCpuUsOf } from './summary/cpu-per-operation.ts';
export { type RunDesign, designOf } from './summary/contrasts.ts';
export { describeDisturbance, disturbanceOfRun } from './summary/disturbance.ts';
export { type LogsByRound, type ContrastEstimate, contrastEstimates } from './summary/contrast-estimates.ts';
export { summarize } from './summary/summarize.ts';
export { collapseRatio, kneeGainShare } from './sweeps/bends.ts';
export { scalabilityPointsMin } from './sweeps/scalability.ts';
export { findSweeps } from './sweeps/find-sweeps.ts';
export { changePointMethod } from './history/change-points.ts';
export { assumedDeviation } from './history/deviation.ts';
export { type Series, type TargetHistory, historyOf } from './history/run-history.ts';
export { type BesideFair, slowerThanFair } from './compare/slower-than-fair.ts';
export { judgeFault } from './faults/judge-fault.ts';
