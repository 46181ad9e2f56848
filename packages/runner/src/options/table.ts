import { availableParallelism } from 'node:os';
import { defaultWorkload } from '../discover/workload.ts';
import { deploymentsSchema, modeSchema, pinSchema } from '@fair-bench/results';
import { z } from 'zod';
import { faultOptions } from './fault-options.ts';
import { loadAgentOptions } from './load-agents.ts';
import { loadOptions } from './load-options.ts';
import { quick, searchOptions } from './search-options.ts';
import { voidOptions } from './void-options.ts';
import {
  durationText,
  oneOf,
  optionText,
  parameterText,
  pathText,
  schemaText,
  seedText,
  settingText,
  setupText,
  shareText,
  urlText,
  wholeNumberText,
  wordsText,
} from './option-values.ts';
import { type OptionGroup, optionTexts as texts } from './option-texts.ts';

// Every option: its name, its parser with its default, and its text. Groups say which commands take it; parsing,
// `--help` and docs/options.md all use this table.

const verbose = z.boolean().prefault(false).register(texts, {
  argument: null,
  meaning: 'print every section of the report, not only the answer',
});
const config = pathText('a file').register(texts, {
  argument: 'file',
  meaning: 'the file that names your own targets',
  otherwise: '`fair-bench.config.ts`, if it exists',
});

const precision = shareText(0.1).optional().register(texts, {
  argument: 'percent',
  meaning: 'stop once every comparison is known to within this, such as `5%`',
  otherwise: 'use the whole budget',
});

const shareHost = z.boolean().prefault(false).register(texts, {
  argument: null,
  meaning:
    'measure although another run measures on this machine, which disturbs both; no disturbed trial is then measured again; also `FAIR_BENCH_SHARE_HOST=1`',
  otherwise: 'refused with exit 2',
});

/** Of every command that measures. */
export const everyRun = {
  duration: durationText(100).prefault('0.7s').register(texts, {
    argument: 'time',
    meaning: 'shortest timed window of a trial; ten mean latencies if that is longer',
  }),
  warmup: durationText(0).prefault('1s').register(texts, {
    argument: 'time',
    meaning: 'shortest warm-up; 2.5 times as long by the Node client, 4.5 times on new servers',
  }),
  ...voidOptions,
  deployments: oneOf(deploymentsSchema.options).prefault('each').register(texts, {
    argument: 'number',
    meaning:
      '`each`: servers are ended and started anew, with empty data directories, before each round; `1`: once, so that intervals leave out what differs from start to start',
  }),
  seed: seedText
    .prefault('42')
    .register(texts, { argument: 'number', meaning: 'determines the operations and the order of trials' }),
  workload: z.string().prefault(defaultWorkload).register(texts, {
    argument: 'name',
    meaning: 'the name of a folder in `workloads/`, or any folder with a `workload.ts`',
  }),
  param: z.array(parameterText).prefault([]).register(texts, {
    argument: 'key=values',
    meaning: 'a parameter of the workload; `--KEY VALUES` does the same; repeatable',
  }),
  threads: wholeNumberText(1, 256)
    .prefault('1')
    .register(texts, { argument: 'number', meaning: 'threads of the load client' }),
  pin: oneOf(pinSchema.options).prefault('auto').register(texts, {
    argument: 'when',
    meaning:
      '`on`: load client and servers get cores of their own (`taskset`); `auto`: with 4 or more cores; `off`',
  }),
  processes: wholeNumberText(1, 1024).prefault(String(availableParallelism())).register(texts, {
    argument: 'number',
    meaning: 'processes of each application server',
    otherwise: 'one per core',
  }),
  poolSize: wholeNumberText(1, 10_000).prefault('50').register(texts, {
    argument: 'number',
    meaning: 'database connections of each application server, over all its processes',
  }),
  url: z.array(urlText).prefault([]).register(texts, {
    argument: 'system=url',
    meaning: 'your own server, for every target of that system; repeatable',
  }),
  setup: z.array(setupText).prefault([]).register(texts, {
    argument: 'system=file',
    meaning:
      "a file with your own tables, made in the run's schema in place of the workload's, for every target of that system that takes one and is in no configuration; repeatable",
    otherwise: "the workload's tables",
  }),
  schema: schemaText.optional().register(texts, {
    argument: 'name',
    meaning:
      'where all our tables and functions are, in every database with schemas: one that is not there, or an empty one; also `FAIR_BENCH_SCHEMA`',
    otherwise: '`fair_bench`',
  }),
  set: z.array(settingText).prefault([]).register(texts, {
    argument: 'target.key=value',
    meaning: 'a setting of one connector, such as `null-http.delayMs=5`; repeatable',
  }),
  config,
  ...loadAgentOptions,
  dataDir: pathText('a folder').register(texts, {
    argument: 'dir',
    meaning: 'where databases store their data; also `FAIR_BENCH_DATA_DIR`',
    otherwise: 'a directory on a disk',
  }),
  out: pathText('a folder').register(texts, {
    argument: 'dir',
    meaning: 'where the results go',
    otherwise: '`results/<run>`',
  }),
  shareHost,
  verbose,
} satisfies OptionGroup;

/** Of a grid of cells. */
export const gridOptions = {
  systems: wordsText('names of targets or systems, separated by commas, each once')
    .optional()
    .register(texts, {
      argument: 'targets',
      meaning: 'targets (with settings) or whole systems, separated by commas',
      otherwise: 'all databases',
    }),
  ...loadOptions,
  budget: durationText(1000).optional().register(texts, {
    argument: 'time',
    meaning:
      'time for the run; what does not fit is reduced: in fair mode without `--systems`, targets that have no four rounds in it are left out and named; else rounds, then combinations, then routes and clients that are searched. After five rounds of every cell it goes to the widest intervals',
    otherwise:
      '`5m`, and as much again until each named target has its first trial; in optimized mode `10m`, half of it for the search',
  }),
  precision,
  trials: wholeNumberText(1, 1000).optional().register(texts, {
    argument: 'number',
    meaning: 'number of rounds, instead of a budget; each round measures every cell once',
    otherwise: 'by the budget',
  }),
  quick,
  ...faultOptions,
  provider: optionText('docker; without it the providers are tried in their order', (text) =>
    text === 'docker' ? text : null,
  )
    .optional()
    .register(texts, {
      argument: 'name',
      meaning: '`docker`: databases in containers, as in `docker-compose-fair.yml`',
      otherwise: 'embedded or installed',
    }),
  printPlan: z.string().optional().register(texts, {
    argument: 'cell',
    meaning:
      'start the target of this cell and print the trial plan for its load client, to run one trial by hand (see below); `plan.json` has the ids of cells',
  }),
  strict: z
    .boolean()
    .prefault(false)
    .register(texts, { argument: null, meaning: 'exit 3 when the comparison is not fair' }),
} satisfies OptionGroup;

/** Of `bench` only. */
export const modeOptions = {
  mode: oneOf(modeSchema.exclude(['explain']).options)
    .prefault('fair')
    .register(texts, { argument: 'mode', meaning: '`fair`, `optimized` or `published`' }),
  claim: z.string().optional().register(texts, {
    argument: 'name',
    meaning: 'in published mode: the claim to judge, a file in `claims/`',
  }),
  durability: oneOf(['durable', 'async', 'both']).optional().register(texts, {
    argument: 'which',
    meaning: '`durable`, `async` or `both`, each in a table of its own',
    otherwise: '`durable`',
  }),
  profile: oneOf(['default', 'tuned', 'both']).optional().register(texts, {
    argument: 'which',
    meaning: '`default`, `tuned` or `both`: settings of the systems',
    otherwise: '`default`',
  }),
  ...searchOptions,
} satisfies OptionGroup;

/** Of `explain` only. Its plan checks what depends on the workspace. */
export const gapOptions = {
  from: z
    .string()
    .optional()
    .register(texts, { argument: 'target', meaning: 'one end, as `postgres-drizzle[depth=1]`' }),
  to: z.string().optional().register(texts, {
    argument: 'target',
    meaning: 'the other end; a setting that it does not name is as at `--from`',
  }),
  claim: z.string().optional().register(texts, { argument: 'name', meaning: 'explain this published claim' }),
  quick,
  budget: durationText(1000).optional().register(texts, {
    argument: 'time',
    meaning: 'time for the run: what it does not hold counts as one factor',
  }),
  precision,
  trials: wholeNumberText(1, 1000).optional().register(texts, {
    argument: 'number',
    meaning: 'number of rounds; each round measures every cell once',
    otherwise: '5, and more of the ends and the architecture',
  }),
  sessions: wholeNumberText(1, 100_000).optional().register(texts, {
    argument: 'number',
    meaning: 'sessions of an end that names none',
    otherwise: '50',
  }),
  depth: wholeNumberText(1, 65_536).optional().register(texts, {
    argument: 'number',
    meaning: 'depth of an end that names none',
    otherwise: '1; for a native client the fastest',
  }),
} satisfies OptionGroup;

export const killTestOptions = {
  systems: gridOptions.systems,
  kills: wholeNumberText(1, 100).prefault('5').register(texts, {
    argument: 'number',
    meaning: 'how often each target is killed at each tier: durable, durable in batches, async',
  }),
  workload: everyRun.workload,
  dataDir: everyRun.dataDir,
  shareHost,
} satisfies OptionGroup;

/** Of `list` and `doctor`. */
export const lookOptions = {
  json: z.boolean().prefault(false).register(texts, { argument: null, meaning: 'as JSON' }),
  config,
} satisfies OptionGroup;

export const reportOptions = {
  html: z.boolean().prefault(false).register(texts, {
    argument: null,
    meaning: 'as one HTML file that opens without a network',
    otherwise: 'text',
  }),
  out: z.string().optional().register(texts, {
    argument: 'file',
    meaning: 'where the HTML goes',
    otherwise: "`report.html` in the run's folder",
  }),
  verbose,
} satisfies OptionGroup;

export const historyOptions = {
  html: reportOptions.html,
  out: z.string().optional().register(texts, {
    argument: 'file',
    meaning: 'where the HTML goes',
    otherwise: '`history-TARGET.html` in `results/`',
  }),
} satisfies OptionGroup;

/** Of `compare`; those of a run are for `--interleave` only. */
export const compareOptions = {
  interleave: z.boolean().prefault(false).register(texts, {
    argument: null,
    meaning:
      'measures the two as targets, in the same rounds, as `fair-bench` does; takes the options of a run',
    otherwise: 'off',
  }),
  failOn: optionText('regression', (text) => (text === 'regression' ? text : null))
    .optional()
    .register(texts, {
      argument: 'what',
      meaning: '`regression`: exit 4 when a cell became slower',
    }),
} satisfies OptionGroup;
