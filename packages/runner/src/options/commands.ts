import type { OptionGroup } from './option-texts.ts';
import {
  compareOptions,
  everyRun,
  gapOptions,
  gridOptions,
  historyOptions,
  killTestOptions,
  lookOptions,
  modeOptions,
  reportOptions,
} from './table.ts';
import { soakOptions } from './soak-options.ts';
import { newConnectorOptions, newWorkloadOptions } from './new-options.ts';

/** A command for `--help` and docs/options.md. */
export interface CommandText {
  readonly name: CommandName;
  readonly meaning: string;
  readonly arguments: readonly { readonly name: string; readonly meaning: string }[];
  readonly options: OptionGroup;
}

export type CommandName =
  | 'fair-bench'
  | 'bench'
  | 'explain'
  | 'kill-test'
  | 'soak'
  | 'list'
  | 'doctor'
  | 'report'
  | 'compare'
  | 'history'
  | 'new-connector'
  | 'new-workload'
  | 'init';

const run = { name: 'run', meaning: 'the folder of a run, or its name in results/' };
const gridRun = { ...gridOptions, ...everyRun };
const {
  trials: _t,
  budget: _b,
  precision: _p,
  quick: _q,
  fault: _f,
  faultTrials: _ft,
  printPlan: _pp,
  duration: _d,
  deployments: _ds,
  measureAgain: _m,
  loadAgents: _l,
  ...soakRun
} = gridRun;
const { systems: _named, printPlan: _by, ...interleavedRun } = gridRun;

/** All commands with their options. */
export const commandTexts: readonly CommandText[] = [
  { name: 'fair-bench', meaning: 'compare systems under equal conditions', arguments: [], options: gridRun },
  {
    name: 'bench',
    meaning: 'measure in one of the three modes',
    arguments: [],
    options: { ...modeOptions, ...gridRun },
  },
  {
    name: 'explain',
    meaning: 'split the gap between two targets, or of a claim, into factors',
    arguments: [],
    options: { ...gapOptions, ...everyRun },
  },
  {
    name: 'kill-test',
    meaning: 'kill servers under load, and record what they lost for later runs',
    arguments: [],
    options: killTestOptions,
  },
  {
    name: 'soak',
    meaning: 'measure for minutes or hours: drift, stalls, growth, and what background work costs',
    arguments: [],
    options: { ...soakOptions, ...soakRun },
  },
  {
    name: 'list',
    meaning: 'list the targets, and why some are unavailable',
    arguments: [],
    options: lookOptions,
  },
  {
    name: 'doctor',
    meaning: 'say what this machine can measure and what it lacks',
    arguments: [],
    options: lookOptions,
  },
  {
    name: 'report',
    meaning: 'render the report of a run again, from its files',
    arguments: [run],
    options: reportOptions,
  },
  {
    name: 'compare',
    meaning: 'compare two runs cell by cell, or, with `--interleave`, two targets in one run',
    arguments: [
      { name: 'before', meaning: 'the folder of a run, its name in results/, or a target with its settings' },
      { name: 'after', meaning: 'the same' },
    ],
    options: { ...compareOptions, ...interleavedRun },
  },
  {
    name: 'history',
    meaning: 'show the throughput of a target over the runs on one machine, with change points',
    arguments: [{ name: 'target', meaning: 'a target by its name in runs, such as postgres-driver@tuned' }],
    options: historyOptions,
  },
  {
    name: 'new-connector',
    meaning: 'write the package of a new connector',
    arguments: [{ name: 'name', meaning: '<system>-<route>' }],
    options: newConnectorOptions,
  },
  {
    name: 'new-workload',
    meaning: 'write a workload that works, for you to change',
    arguments: [{ name: 'name', meaning: 'of the workload and its folder' }],
    options: newWorkloadOptions,
  },
  {
    name: 'init',
    meaning:
      'write a workload, a configuration and a workflow into a repository of yours that has the package `fair-bench`',
    arguments: [],
    options: {},
  },
];
