export { describeConnector, describeWorkload } from './describe-connector.ts';
export { describeNativeClient } from './describe-native-client.ts';
export {
  describeKill,
  type KillableServer,
  type KillFigures,
  type KillLoad,
  killUnderLoad,
  type WithKillableServer,
} from './kill-under-load.ts';
export { targetWorkload, workloadNamed } from './workloads.ts';
