import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { basename, resolve } from 'node:path';
import {
  appRuntimeSchema,
  defaultTargetSettings,
  isolationSchema,
  nameSchema,
  noPooler,
  requestedDurabilitySchema,
  type RouteManifest,
  statementProtocolSchema,
  type TargetSettings,
} from '@fair-bench/contract';
import { batchMax, clientNameSchema } from '@fair-bench/results';
import { nameWord, wholeNumber, words } from './setting-values.ts';

/** Settings as key → value in words: `client` → `native`, `depth` → `8`. */
export type SettingValues = Readonly<Record<string, string>>;

/** The parts of a connector that settings depend on. */
export interface Settable {
  readonly name: string;
  readonly manifest: RouteManifest;
}

/** A setting that a user can give, as `TARGET[key=value]` in options, configuration and claims. */
export interface Setting {
  readonly key: string;
  /** As reports call it. */
  readonly name: string;
  /** The canonical text of a value; null if it is invalid. */
  readonly parse: (text: string) => string | null;
  readonly accepts: string;
  /** The values that a connector's manifest allows: anything, one of these, or null if it lacks the setting. */
  readonly offeredBy: (manifest: RouteManifest) => 'any' | readonly string[] | null;
  /** The default; null where the run's options decide it. */
  readonly defaultValue: string | null;
  /**
   * Of a setting of the client library: the value that explanations reach before they leave the only one of two systems
   * that has the setting, so that its effect is not part of the step between the systems.
   */
  readonly beforeSystem?: string;
  /** Its default is nothing at all, which a system without the setting has too. */
  readonly isAddition?: true;
  /** Whether it belongs to the target, or to the load that each cell sends. */
  readonly of: { readonly kind: 'load' } | TargetPart;
}

interface TargetPart {
  readonly kind: 'target';
  /** The settings with this one at a parsed value. */
  readonly apply: (settings: TargetSettings, value: string) => TargetSettings;
  /** A value in a target's name after `@`: `postgres-driver@tuned`. */
  readonly word: (value: string) => string;
  /** Whether the word is also accepted there, as a preset. */
  readonly isPreset: boolean;
}

/** Where a target stands: values that come with its name, under keys that no setting has. */
export const place = {
  system: '@system',
  /** By the name of a target there. */
  endpoint: '@endpoint',
  route: '@route',
  hop: '@hop',
  dataAccess: '@data-access',
} as const;

/** A target's place, in the form of settings. */
export function placeOf(target: {
  readonly system: string;
  readonly base: string;
  readonly connector: Settable;
}): SettingValues {
  const { route, factors } = target.connector.manifest;
  return {
    [place.system]: target.system,
    [place.endpoint]: target.base,
    [place.route]: route,
    [place.hop]: factors.hop,
    [place.dataAccess]: factors.dataAccess,
  };
}

/** The system's own default isolation. */
const defaultIsolation = 'default';
/** Settings of the client library: what the other system's library lacks is changed on the side that has it. */
const librarySettings: Readonly<Record<string, string>> = { clientCodec: 'tuned' };
export const batchKey = 'batch';
/** Each operation is a request and a commit of its own. */
const noBatch = '1';
/** The server's program on PATH or in a package. */
const programFound = 'found';
/** A pooler's threads. */
const asShipped = 'shipped';
const threads = wholeNumber(256);
/** Of the servers: those of the machine, or as `--pin` splits them. */
export const allProcessors = 'all';
const processors = wholeNumber(availableParallelism());

const sameWord = (value: string): string => value;

/** The settings of the contract, in the order of reports. */
const contractSettings: readonly Setting[] = [
  {
    key: 'client',
    name: 'client',
    ...words(clientNameSchema.options),
    offeredBy: ({ clients }) => clientNameSchema.options.filter((client) => clients[client] !== undefined),
    defaultValue: 'node',
    of: { kind: 'load' },
  },
  ofRun('depth', 'depth', wholeNumber(65_536)),
  {
    key: batchKey,
    name: 'batch',
    ...wholeNumber(batchMax),
    offeredBy: ({ factors }) => (factors.batch.length === 0 ? null : 'any'),
    defaultValue: noBatch,
    isAddition: true,
    of: { kind: 'load' },
  },
  ofRun('sessions', 'sessions', wholeNumber(100_000)),
  {
    key: 'cores',
    name: 'server processors',
    // The same text on every machine.
    accepts: `${allProcessors}, or a whole number of this machine's`,
    parse: (text) => (text === allProcessors ? text : processors.parse(text)),
    // An engine inside the load client has no server.
    offeredBy: ({ factors }) => (factors.hop === 'in-process' ? null : 'any'),
    defaultValue: allProcessors,
    isAddition: true,
    of: { kind: 'load' },
  },
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
      // Two builds with one name are in different folders.
      word: (value) => nameWord(`${basename(value)}-${hash('sha256', value).slice(0, 6)}`),
      isPreset: false,
    },
  },
];

/** An axis of the workload, as a setting of the load. */
export type AxisSetting = Pick<Setting, 'key' | 'name' | 'accepts' | 'parse'>;

/** All settings of these connectors: the contract's, the workload's axes, and each connector's own. */
export function settingsOf(
  connectors: readonly Settable[],
  axes: readonly AxisSetting[] = [],
): readonly Setting[] {
  const shared = [
    ...contractSettings.filter(({ of }) => of.kind === 'load'),
    ...axes.map(({ key, name, ...text }) => ofRun(key, name, text)),
    ...contractSettings.filter(({ of }) => of.kind === 'target'),
  ];
  const known = new Set(shared.map(({ key }) => key));
  const extras = connectors.flatMap(({ manifest }) => Object.entries(manifest.factors.extra));
  const own = new Map(extras.toReversed());
  const extra = [...own].filter(([key]) => !known.has(key)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [...shared, ...extra.map(([key, [first = '']]) => extraSetting(key, first))];
}

/** What a run's options set where a setting has no default of its own. */
interface RunValues {
  readonly depth: number;
  readonly sessions: number;
  readonly processes: number;
  readonly poolSize: number;
}

/** The default of every setting; of a connector's own, the first value that it declares. */
export function defaultValues(
  connectors: readonly Settable[],
  { poolSize, ...run }: RunValues,
  axes: readonly AxisSetting[] = [],
  point: Readonly<Record<string, unknown>> = {},
): SettingValues {
  const ofTheRun = new Map(Object.entries({ ...point, ...run, pool: poolSize }));
  return Object.fromEntries(
    settingsOf(connectors, axes).map(({ key, defaultValue }) => [
      key,
      defaultValue ?? String(ofTheRun.get(key) ?? ''),
    ]),
  );
}

function ofRun(key: string, name: string, text: Pick<Setting, 'accepts' | 'parse'>): Setting {
  return { key, name, ...text, offeredBy: () => 'any', defaultValue: null, of: { kind: 'load' } };
}

function extraSetting(key: string, defaultValue: string): Setting {
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
