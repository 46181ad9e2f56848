import { hash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import {
  appRuntimeSchema,
  defaultTargetSettings,
  isolationSchema,
  nameSchema,
  noPooler,
  requestedDurabilitySchema,
  statementProtocolSchema,
} from '@fair-bench/contract';
import type { Setting, TargetPart } from './setting.ts';
import { nameWord, wholeNumber, words } from './texts.ts';

/** The system's own default isolation. */
const defaultIsolation = 'default';
/** Settings of the client library: what the other system's library lacks is changed on the side that has it. */
const librarySettings: Readonly<Record<string, string>> = { clientCodec: 'tuned' };
/** The server's program on PATH or in a package. */
const programFound = 'found';
/** The tables are those of the workload's description. */
const setupOfDescription = 'none';
/** A pooler's threads. */
const asShipped = 'shipped';
const threads = wholeNumber(256);

const sameWord = (value: string): string => value;

/** The settings of every target that the contract knows, in the order of reports. */
export const targetSettings: readonly Setting[] = [
  {
    key: 'durability',
    name: 'durability',
    ...words(requestedDurabilitySchema.options),
    offeredBy: ({ factors }) => factors.durability,
    defaultValue: 'durable',
    of: preset((settings, value) => ({ ...settings, durability: requestedDurabilitySchema.parse(value) })),
  },
  {
    key: 'isolation',
    name: 'isolation',
    ...words([defaultIsolation, ...isolationSchema.options]),
    offeredBy: ({ factors: { isolation } }) =>
      isolation.length === 0 ? null : [defaultIsolation, ...isolation],
    defaultValue: defaultIsolation,
    of: preset((settings, value) => ({
      ...settings,
      isolation: value === defaultIsolation ? null : isolationSchema.parse(value),
    })),
  },
  {
    key: 'processes',
    name: 'application processes',
    ...wholeNumber(1024),
    offeredBy: ({ factors }) => (factors.processes ? 'any' : null),
    defaultValue: null,
    of: preset(
      (settings, value) => ({ ...settings, processes: Number(value) }),
      (value) => `processes-${value}`,
    ),
  },
  {
    key: 'pool',
    name: 'pool',
    ...wholeNumber(10_000),
    // The pool is the application server's.
    offeredBy: ({ factors }) => (factors.hop === 'rpc-server' ? 'any' : null),
    defaultValue: null,
    of: {
      kind: 'target',
      apply: (settings, value) => ({ ...settings, poolSize: Number(value) }),
      word: (value) => `pool-${value}`,
      isPreset: false,
    },
  },
  {
    key: 'pooler',
    name: 'pooler',
    accepts: 'the name of a pooler',
    parse: (text) => nameSchema.safeParse(text).data ?? null,
    offeredBy: ({ factors: { pooler } }) => (pooler.length === 0 ? null : [noPooler, ...pooler]),
    defaultValue: noPooler,
    isAddition: true,
    of: preset((settings, value) => ({ ...settings, pooler: value })),
  },
  {
    key: 'poolerPool',
    name: "pooler's pool",
    ...wholeNumber(10_000),
    offeredBy: ({ factors: { pooler } }) => (pooler.length === 0 ? null : 'any'),
    defaultValue: String(defaultTargetSettings.poolerPool),
    isAddition: true,
    of: {
      kind: 'target',
      apply: (settings, value) => ({ ...settings, poolerPool: Number(value) }),
      word: (value) => `poolerpool-${value}`,
      isPreset: false,
    },
  },
  {
    key: 'poolerWorkers',
    name: "pooler's threads",
    accepts: `${asShipped}, 0 for its single-threaded mode, or ${threads.accepts}`,
    parse: (text) => (text === asShipped || text === '0' ? text : threads.parse(text)),
    offeredBy: ({ factors: { pooler } }) => (pooler.length === 0 ? null : 'any'),
    defaultValue: asShipped,
    isAddition: true,
    of: {
      kind: 'target',
      apply: (settings, value) => ({
        ...settings,
        poolerWorkers: value === asShipped ? null : Number(value),
      }),
      word: (value) => `poolerworkers-${value}`,
      isPreset: false,
    },
  },
  {
    key: 'profile',
    name: 'tuning profile',
    accepts: 'the name of a tuning profile',
    parse: (text) => nameSchema.safeParse(text).data ?? null,
    offeredBy: ({ factors }) => factors.profile,
    defaultValue: 'default',
    of: preset((settings, value) => ({ ...settings, profile: value })),
  },
  {
    key: 'runtime',
    name: 'app runtime',
    ...words(appRuntimeSchema.options),
    offeredBy: ({ factors: { appRuntime } }) => (appRuntime.length === 0 ? null : appRuntime),
    defaultValue: 'node',
    of: preset((settings, value) => ({ ...settings, appRuntime: appRuntimeSchema.parse(value) })),
  },
  {
    key: 'protocol',
    name: 'statement protocol',
    ...words(statementProtocolSchema.options),
    offeredBy: ({ factors: { protocol } }) => (protocol.length === 0 ? null : protocol),
    defaultValue: 'prepared',
    of: preset((settings, value) => ({ ...settings, protocol: statementProtocolSchema.parse(value) })),
  },
  {
    key: 'program',
    name: 'server program',
    accepts: 'the path of a program',
    parse: (text) => (text === programFound ? text : text.includes('/') ? resolve(text) : null),
    offeredBy: ({ factors }) => (factors.program ? 'any' : null),
    defaultValue: programFound,
    of: {
      kind: 'target',
      apply: (settings, value) => ({ ...settings, program: value === programFound ? null : value }),
      word: wordOfPath,
      isPreset: false,
    },
  },
  {
    key: 'setup',
    name: 'tables',
    accepts: `${setupOfDescription}, or the path of a file with your own tables, as db/schema.sql`,
    parse: (text) => (text === setupOfDescription ? text : /[/.]/.test(text) ? resolve(text) : null),
    offeredBy: ({ factors }) => (factors.setup ? 'any' : null),
    defaultValue: setupOfDescription,
    isAddition: true,
    of: {
      kind: 'target',
      apply: (settings, value) => ({ ...settings, setup: value === setupOfDescription ? null : value }),
      word: wordOfPath,
      isPreset: false,
    },
  },
];

/** Two files with one name are in different folders. */
function wordOfPath(path: string): string {
  return nameWord(`${basename(path)}-${hash('sha256', path).slice(0, 6)}`);
}

/** A connector's own setting; its default is the first value that it declares. */
export function extraSetting(key: string, defaultValue: string): Setting {
  const beforeSystem = librarySettings[key];
  return {
    ...(beforeSystem === undefined ? {} : { beforeSystem }),
    key,
    name: key,
    accepts: 'a value that the connector declares',
    parse: sameWord,
    offeredBy: ({ factors }) => factors.extra[key] ?? null,
    defaultValue,
    of: preset(
      (settings, value) => ({ ...settings, extra: { ...settings.extra, [key]: value } }),
      (value) => nameWord(`${key}-${value}`),
    ),
  };
}

function preset(apply: TargetPart['apply'], word: TargetPart['word'] = sameWord): TargetPart {
  return { kind: 'target', apply, word, isPreset: true };
}
