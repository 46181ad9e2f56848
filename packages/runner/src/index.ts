/** The runner's interface for tools and for tests of other packages. Commands start at `main.ts`. */

// A program: its command line, its exit code, its results folder and Ctrl-C.
export { type ExitCode, exitCodes } from './commands/exit-codes.ts';
export { checkResultsDirectory, findRun, makeResultsDirectory, runId } from './commands/folders.ts';
export { holdHost } from './commands/hold-host.ts';
export { listenForInterruption } from './commands/interruption.ts';
export { renderHtmlReport } from './commands/render-report.ts';
export { runMain } from './commands/run-main.ts';
export { parseWords, quiet, tableCommand } from './options/commander.ts';
export { type OptionGroup, optionTexts } from './options/option-texts.ts';
export { everyRun } from './options/table.ts';
export { readEnvironment, searchPath } from './options/env.ts';
export { durationText, optionText, wholeNumberText } from './options/option-values.ts';

// The workspace: which connectors, workloads and targets exist.
export { loadConnector, loadConnectors } from './discover/load.ts';
export { type LoadedWorkload, defaultWorkload, loadWorkload } from './discover/workload.ts';
export { type Catalog, type FoundConnector, discover, discoverFor } from './discover/workspace.ts';
export { listTargets } from './list/index.ts';
export { listingSchema } from './list/listing.ts';

export { claimNames, loadClaim } from './claims/load.ts';

// From options to a plan.
export { parseRunOptions, parseTexts, runDefaults } from './options/run-options.ts';
export { buildPlan } from './plan/build-plan.ts';
export type { TargetDefinition } from './targets/definition.ts';
export { chosenTargets } from './targets/known-targets.ts';

// A whole run.
export { prepareContext } from './commands/prepare-context.ts';
export { linesOnly } from './commands/display.ts';
export { runBenchmark } from './run/pipeline.ts';
export { openWorkbench } from './run/workbench.ts';

// One trial: its target, load client, tables and probes.
export { type LoadClientSource, LoadProcesses, onThisMachine } from './measure/load-client-process.ts';
export { LoadAgents } from './measure/load-agents.ts';
export type { LoadAgentsSetting } from './options/load-agents.ts';
export { LoadClients } from './measure/load-clients.ts';
export { measureCell, type PlannedTrial } from './measure/measure-cell.ts';
export { measureAgain } from './measure/measure-again.ts';
export { runTrial } from './measure/run-trial.ts';
export { type TrialSetting, type TrialStage } from './measure/trial-setting.ts';
export { WireDepths } from './measure/wire-depth.ts';
export { type Contended, contend, nothingDeclined } from './provision/contend.ts';
export { rehearse } from './provision/rehearse.ts';
export { type Seeded, seed } from './seed/seed.ts';
export { CellCores } from './probes/cell-cores.ts';
export { pinning } from './probes/cores.ts';
export { captureEnvironment } from './probes/environment.ts';
export { StorageProbes, measureStorage } from './probes/storage.ts';
export { Targets } from './provision/targets.ts';
export { describeKill, killBatch, type KillReport, killUnderLoad } from './durability/kill-under-load.ts';
export { probeCommits } from './durability/probe-commits.ts';
export { type KillableTarget, withKillableTarget } from './durability/killable-target.ts';
export { runFaultTrial } from './faults/fault-trial.ts';
export { ForgetfulDisk } from './faults/forgetful-disk.ts';
export { faultsByKind } from './faults/kinds.ts';
