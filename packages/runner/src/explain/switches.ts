import {
  appRuntimeSchema,
  isolationSchema,
  nameSchema,
  requestedDurabilitySchema,
  type RouteManifest,
  type TargetSettings,
} from '@fair-bench/contract';
import { clientNameSchema } from '@fair-bench/results';
import type { FoundConnector } from '../discover/workspace.ts';

/** What can be switched at a target, as key → value in words: `client` → `native`, `depth` → `8`. */
export type Settings = Readonly<Record<string, string>>;

/** A factor of a gap that a person can set: `TARGET[key=value]`. */
export interface Switch {
  readonly key: string;
  /** As reports call it. */
  readonly name: string;
  /** The text as it is written everywhere; null when it is no value. */
  readonly parse: (text: string) => string | null;
  readonly accepts: string;
  /** What a connector's manifest lets it be: anything, one of these, or null where there is no such switch. */
  readonly offeredBy: (manifest: RouteManifest) => 'any' | readonly string[] | null;
}

/** The system's own isolation, as it ships. */
export const plainIsolation = 'default';
/** The depth at which a target is fastest, which is looked for before anything else. */
export const bestDepth = 'best';

/** The switches that the contract knows, in the order in which reports list them. */
const contractSwitches: readonly Switch[] = [
  {
    key: 'client',
    name: 'client',
    ...words(clientNameSchema.options),
    offeredBy: ({ clients }) => clientNameSchema.options.filter((client) => clients[client] !== undefined),
  },
  { key: 'depth', name: 'depth', ...wholeNumber(65_536), offeredBy: () => 'any' },
  { key: 'sessions', name: 'sessions', ...wholeNumber(100_000), offeredBy: () => 'any' },
  {
    key: 'alpha',
    name: 'contention',
    accepts: 'a number from 0',
    parse: (text) => (/^\d+(\.\d+)?$/.test(text) ? String(Number(text)) : null),
    offeredBy: () => 'any',
  },
  {
    key: 'durability',
    name: 'durability',
    ...words(requestedDurabilitySchema.options),
    offeredBy: ({ factors }) => factors.durability,
  },
  {
    key: 'isolation',
    name: 'isolation',
    ...words([plainIsolation, ...isolationSchema.options]),
    offeredBy: ({ factors: { isolation } }) =>
      isolation.length === 0 ? null : [plainIsolation, ...isolation],
  },
  {
    key: 'processes',
    name: 'application processes',
    ...wholeNumber(1024),
    offeredBy: ({ factors }) => (factors.processes ? 'any' : null),
  },
  {
    key: 'pool',
    name: 'pool',
    ...wholeNumber(10_000),
    // The pool is the application server's.
    offeredBy: ({ factors }) => (factors.hop === 'rpc-server' ? 'any' : null),
  },
  {
    key: 'profile',
    name: 'tuning profile',
    accepts: 'the name of a tuning profile',
    parse: (text) => nameSchema.safeParse(text).data ?? null,
    offeredBy: ({ factors }) => factors.profile,
  },
  {
    key: 'runtime',
    name: 'app runtime',
    ...words(appRuntimeSchema.options),
    offeredBy: ({ factors: { appRuntime } }) => (appRuntime.length === 0 ? null : appRuntime),
  },
];

/** All switches of these connectors: the contract's, and each connector's own settings as it declares them. */
export function switchesOf(connectors: readonly FoundConnector[]): readonly Switch[] {
  const known = new Set(contractSwitches.map(({ key }) => key));
  const own = new Set(connectors.flatMap(({ manifest }) => Object.keys(manifest.factors.extra)));
  const extra = [...own].filter((key) => !known.has(key)).toSorted();
  return [...contractSwitches, ...extra.map(extraSwitch)];
}

/** What every switch is at when nobody says anything; a connector's own are at the first value that it declares. */
export function plainSettings(
  connectors: readonly FoundConnector[],
  run: Pick<TargetSettings, 'processes' | 'poolSize'> & RunSettings,
): Settings {
  const extra = connectors.flatMap(({ manifest }) =>
    Object.entries(manifest.factors.extra).map(([key, [first = '']]) => [key, first] as const),
  );
  return {
    ...Object.fromEntries(extra.toReversed()),
    client: 'node',
    depth: String(run.depth),
    sessions: String(run.sessions),
    alpha: String(run.alpha),
    durability: 'durable',
    isolation: plainIsolation,
    processes: String(run.processes),
    pool: String(run.poolSize),
    profile: 'default',
    runtime: 'node',
  };
}

export interface RunSettings {
  readonly depth: number;
  readonly sessions: number;
  readonly alpha: number;
}

/** Why a connector cannot be at these settings, or null when it can. Where it has no such switch, it is at the plain one. */
export function refusalBy(
  { name, manifest }: FoundConnector,
  switches: readonly Switch[],
  settings: Settings,
  plain: Settings,
): string | null {
  for (const { key, name: factor, offeredBy } of switches) {
    const offered = offeredBy(manifest);
    const value = settings[key] ?? '';
    if (settings['client'] === 'native' && manifest.factors.extraOfNode.includes(key)) {
      if (value === plain[key]) continue;
      return `the native load client has no ${factor} for ${name}, so that it cannot be ${value}`;
    }
    if (offered === 'any') continue;
    if (offered === null) {
      if (value === plain[key]) continue;
      return `${name} has no ${factor} to choose, so that it cannot be ${value} there`;
    }
    if (!offered.includes(value)) {
      return `${name} cannot have ${factor} ${value}: it has ${offered.join(', ')}`;
    }
  }
  return null;
}

function extraSwitch(key: string): Switch {
  return {
    key,
    name: key,
    accepts: 'a value that the connector declares',
    parse: (text) => text,
    offeredBy: ({ factors }) => factors.extra[key] ?? null,
  };
}

function words(values: readonly string[]): Pick<Switch, 'accepts' | 'parse'> {
  return { accepts: values.join(' or '), parse: (text) => (values.includes(text) ? text : null) };
}

function wholeNumber(max: number): Pick<Switch, 'accepts' | 'parse'> {
  return {
    accepts: `a whole number from 1 to ${max}`,
    parse: (text) => (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= max ? text : null),
  };
}
