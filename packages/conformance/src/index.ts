export {
  allButKill,
  type ConformanceOptions,
  describeConnector,
  describeWorkload,
  everyPart,
} from './describe-connector.ts';
export { describeNativeClient } from './describe-native-client.ts';
export { onThisMachine } from '@fair-bench/runner';
export { runShortTrial, nodeClient, runShortTrialAgain } from './short-trial.ts';
export { suiteTarget } from './suite-target.ts';
export { workloadNamed } from './workloads.ts';
export { targetWorkload } from '@fair-bench/workload';
