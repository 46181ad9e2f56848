/** The parts of the runner that the conformance kit runs connectors through. */
export { discover, loadConnector, loadWorkload } from './discover/index.ts';
export type { AnyWorkload, FoundConnector, LoadedWorkload } from './discover/index.ts';
export { runTrial } from './measure/run-trial.ts';
export type { TrialSetting } from './measure/run-trial.ts';
export type { LoadClientCommand } from './measure/load-client-process.ts';
export { SharedServices } from './provision/shared-services.ts';
export type { TrialRecord } from './report/trial-record.ts';
export { StorageRulers } from './rulers/storage-rulers.ts';
