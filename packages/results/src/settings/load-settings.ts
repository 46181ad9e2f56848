import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { LoadSetting, SettingValue } from './setting.ts';
import { batchMax } from './bounds.ts';
import { batchRefusal } from './refusals.ts';
import { clientNameSchema } from './client-name.ts';
import { orWord, sizeInMb, wholeNumber, words } from './texts.ts';

/** The servers may use those of the machine, or as `--pin` splits them. */
const allProcessors = 'all';
const allMemory = 'all';
const closedLoop = 'closed';
/** A load client needs about this much for itself. */
const memoryMbMin = 32;
const countSchema = z.int().min(1);
/** Fewer values make no curve. */
export const fewValues = { valuesLeast: 3 } as const;
/** Few machines have many processors, and so much less memory than the data or so much more says enough. */
const twoValues = { valuesLeast: 2 } as const;

const client = {
  key: 'client',
  name: 'client',
  ...words(clientNameSchema.options),
  offeredBy: ({ clients }) => clientNameSchema.options.filter((one) => clients[one] !== undefined),
  defaultValue: 'node',
  of: {
    kind: 'load',
    field: 'client',
    schema: clientNameSchema,
    valueOf: (text) => text,
    idOf: (value) => (value === 'node' ? '' : `-${value}`),
    isFirst: true,
    said: 'where-it-varies',
    curve: null,
    // Beside its plan, what ran is compared.
    parity: null,
    option: {
      argument: 'names',
      meaning: '`node`, `native` or both by a comma',
      accepts: 'node, native, or both by a comma',
      otherwise: '`node`; in optimized mode the faster of both',
    },
  },
} as const satisfies LoadSetting;

/** Requests in flight in each session. */
const depth = {
  key: 'depth',
  name: 'depth',
  ...wholeNumber(65_536),
  offeredBy: () => 'any',
  defaultValue: null,
  of: {
    kind: 'load',
    field: 'depth',
    schema: countSchema,
    valueOf: Number,
    idOf: (value) => `-d${value}`,
    said: 'always',
    curve: fewValues,
    parity: { rule: 'F5', subject: 'depth', isSearched: true },
    option: {
      argument: 'numbers',
      meaning: 'requests in flight per session',
      accepts: 'whole numbers from 1 to 65536',
      isNumeric: true,
      preset: '1',
    },
  },
} as const satisfies LoadSetting;

/** Operations in a request, committed together. */
const batch = {
  key: 'batch',
  name: 'batch',
  ...wholeNumber(batchMax),
  offeredBy: ({ factors }) => (factors.batch.length === 0 ? null : 'any'),
  refusedBy: ({ name, manifest }, values) =>
    batchRefusal(name, manifest, clientNameSchema.parse(values['client']), Number(values['batch'])),
  // Each operation is a request and a commit of its own.
  defaultValue: '1',
  isAddition: true,
  of: {
    kind: 'load',
    field: 'batch',
    schema: countSchema.default(1),
    valueOf: Number,
    idOf: (value) => (value === 1 ? '' : `-b${value}`),
    said: 'where-set',
    curve: fewValues,
    parity: { rule: 'F52', subject: 'operations in a commit', isWhereSet: true },
    option: {
      argument: 'numbers',
      meaning:
        'operations in one request and one commit, each with its own outcome; a route that cannot is unavailable',
      accepts: `whole numbers from 1 to ${batchMax}`,
      isNumeric: true,
      preset: '1',
      isOneInOptimizedMode: true,
    },
  },
} as const satisfies LoadSetting;

const sessions = {
  key: 'sessions',
  name: 'sessions',
  ...wholeNumber(100_000),
  offeredBy: () => 'any',
  defaultValue: null,
  of: {
    kind: 'load',
    field: 'sessions',
    schema: countSchema,
    valueOf: Number,
    idOf: (value) => `-s${value}`,
    said: 'where-it-varies',
    curve: fewValues,
    parity: { rule: 'F4', subject: 'sessions', isSearched: true },
    option: {
      argument: 'numbers',
      meaning: 'client connections',
      accepts: 'whole numbers from 1 to 100000',
      isNumeric: true,
      preset: '50',
    },
  },
} as const satisfies LoadSetting;

/** Operations per second of an open loop over all sessions; a cell has it where the run's cells differ in it. */
const rate = {
  key: 'rate',
  name: 'rate',
  accepts: `${closedLoop}, or a number of operations per second above 0`,
  parse: (text) => (text === closedLoop || Number(text) > 0 ? text : null),
  offeredBy: () => 'any',
  defaultValue: closedLoop,
  isAddition: true,
  of: {
    kind: 'load',
    field: 'ratePerSecond',
    schema: z.number().positive().optional(),
    valueOf: unless(closedLoop, Number),
    idOf: (value) => `-rate${value}`,
    said: 'where-it-varies',
    isOfRunOnly: true,
    curve: { ...fewValues, says: 'rate-held' },
    // The rule of loops judges it, with the plan's own.
    parity: null,
    option: {
      argument: 'numbers',
      meaning: 'open loop: operations per second over all sessions; latency counts from the intended start',
      accepts: 'numbers of operations per second above 0',
      isNumeric: true,
      otherwise: 'closed loop',
    },
  },
} as const satisfies LoadSetting;

/** How many processors the target's servers may use in a cell's trials. */
const cores = {
  key: 'cores',
  name: 'server processors',
  // The same text on every machine.
  accepts: `${allProcessors}, or a whole number of this machine's`,
  parse: orWord(allProcessors, wholeNumber(availableParallelism())).parse,
  // An engine inside the load client has no server.
  offeredBy: ({ factors }) => (factors.hop === 'in-process' ? null : 'any'),
  defaultValue: allProcessors,
  isAddition: true,
  of: {
    kind: 'load',
    field: 'cores',
    schema: countSchema.optional(),
    valueOf: unless(allProcessors, Number),
    idOf: (value) => `-c${value}`,
    said: 'where-it-varies',
    curve: { ...twoValues, says: 'scalability' },
    parity: null,
    option: {
      argument: 'numbers',
      meaning:
        'processors that the servers may use (`taskset`, read back); the load client gets the others, or shares all where none is left',
      accepts: `whole numbers from 1 to ${availableParallelism()}`,
      isNumeric: true,
      otherwise: 'all, or as `--pin` splits them',
      isOfFairMode: true,
      excludes: { option: 'pin', value: 'on', why: 'which splits the processors too' },
    },
  },
} as const satisfies LoadSetting;

/** MiB that the load client with the engine in its process may have, page cache included. */
const memory = {
  key: 'memory',
  name: 'memory of the engine',
  ...orWord(allMemory, sizeInMb(memoryMbMin)),
  offeredBy: ({ factors }) => (factors.hop === 'in-process' ? 'any' : null),
  defaultValue: allMemory,
  isAddition: true,
  of: {
    kind: 'load',
    field: 'memoryMb',
    schema: countSchema.optional(),
    valueOf: unless(allMemory, (text) => Number.parseInt(text, 10)),
    textOf: (value) => `${value}m`,
    idOf: (value) => `-m${value}`,
    shown: (value) => `${value} MiB`,
    said: 'where-it-varies',
    curve: twoValues,
    parity: null,
    option: {
      argument: 'sizes',
      meaning:
        'memory of the load client where the engine is in its process, page cache included (a control group of Linux, read back); the files of the engine leave the page cache before each trial',
      accepts: `sizes of at least ${memoryMbMin}m, separated by commas, each once, such as 256m or 2g`,
      otherwise: 'all of the machine',
      isOfFairMode: true,
    },
  },
} as const satisfies LoadSetting;

/** The engine's files leave the page cache before each trial. */
const cold = {
  key: 'cold',
  name: 'cold start',
  ...words(['off', 'on']),
  offeredBy: ({ factors }) => (factors.hop === 'in-process' ? 'any' : null),
  defaultValue: 'off',
  isAddition: true,
  of: {
    kind: 'load',
    field: 'cold',
    schema: z.literal(true).optional(),
    valueOf: (text) => (text === 'on' ? true : undefined),
    idOf: () => '-cold',
    shown: () => 'on',
    said: 'where-it-varies',
    curve: null,
    parity: null,
    option: {
      argument: null,
      meaning:
        'before each trial the files of an engine in the load client leave the page cache, and it is opened anew; shows the time to open and the first second',
      accepts: '',
      isOfFairMode: true,
    },
  },
} as const satisfies LoadSetting;

/** The settings of the load that code reads by their names, in the order of ids, columns and options. */
export const loadRows = { client, depth, batch, sessions, rate, cores, memory, cold };

/** Their fields; a row that no code reads by its name needs no line here. */
export const namedFields = {
  client: client.of.schema,
  depth: depth.of.schema,
  batch: batch.of.schema,
  sessions: sessions.of.schema,
  ratePerSecond: rate.of.schema,
  cores: cores.of.schema,
  memoryMb: memory.of.schema,
  cold: cold.of.schema,
};

function unless(word: string, valueOf: (text: string) => SettingValue) {
  return (text: string): SettingValue | undefined => (text === word ? undefined : valueOf(text));
}
