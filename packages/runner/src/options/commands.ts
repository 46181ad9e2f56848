import type { OptionGroup } from './option-texts.ts';
import {
  compareOptions,
  everyRun,
  gapOptions,
  gridOptions,
  lookOptions,
  modeOptions,
  newWorkloadOptions,
  reportOptions,
} from './table.ts';

/** A command as `--help` and docs/options.md describe it. */
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
  | 'list'
  | 'doctor'
  | 'report'
  | 'compare'
  | 'new-connector'
  | 'new-workload';

const run = { name: 'run', meaning: 'the folder of a run, or its name in results/' };
const gridRun = { ...gridOptions, ...everyRun };

/** All commands, each with the options that it takes. */
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
    meaning: 'take the gap between two targets, or of a claim, apart into factors',
    arguments: [],
    options: { ...gapOptions, ...everyRun },
  },
  { name: 'list', meaning: 'targets, and why an unavailable one is', arguments: [], options: lookOptions },
  {
    name: 'doctor',
    meaning: 'what this machine can measure and what it lacks',
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
    meaning: 'compare two runs, cell by cell',
    arguments: [
      { ...run, name: 'before' },
      { ...run, name: 'after' },
    ],
    options: compareOptions,
  },
  {
    name: 'new-connector',
    meaning: 'write the package of a new connector',
    arguments: [{ name: 'name', meaning: '<system>-<route>' }],
    options: {},
  },
  {
    name: 'new-workload',
    meaning: 'write a workload that works, for you to change',
    arguments: [{ name: 'name', meaning: 'of the workload and its folder' }],
    options: newWorkloadOptions,
  },
];
