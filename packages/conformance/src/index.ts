export { describeConnector, describeWorkload } from './describe-connector.ts';
export { describeNativeClient } from './describe-native-client.ts';
export { runShortTrial } from './short-trial.ts';
export { targetWorkload, workloadNamed } from './workloads.ts';
