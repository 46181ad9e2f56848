import {
  type DataAccess,
  appRuntimeSchema,
  codeInDatabase,
  isolationSchema,
  nameSchema,
  requestedDurabilitySchema,
} from '@fair-bench/contract';
import { clientNameSchema } from '@fair-bench/results';
import { z } from 'zod';
import type { FoundConnector } from '../discover/workspace.ts';
import type { CellSpec } from '../plan/assemble-plan.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { withVariant } from '../targets/variant.ts';
import { plainIsolation, refusalBy, type Settings, type Switch } from './switches.ts';

/** A point between the ends: which system, how it is reached, and every switch. */
export interface Configuration {
  readonly system: string;
  readonly hop: string;
  /** Looked up as `accessIn` has it for the system. */
  readonly dataAccess: DataAccess;
  /** The route, where both ends have the same hop and data access and differ in it; else empty. */
  readonly route: string;
  readonly settings: Settings;
}

/** What configurations are looked up in. */
export interface Means {
  /** As the user's options make them, without anything that a switch sets. */
  readonly definitions: readonly TargetDefinition[];
  /** Connectors of the two ends: they are taken where several would do. */
  readonly preferred: readonly FoundConnector[];
  readonly switches: readonly Switch[];
  readonly plain: Settings;
}

export type Resolved =
  | { readonly possible: true; readonly spec: CellSpec }
  | { readonly possible: false; readonly reason: string };

/** The cell that measures a configuration, or why there is none. */
export function resolve(configuration: Configuration, means: Means): Resolved {
  const { system, hop, route, settings } = configuration;
  const dataAccess = accessIn(system, configuration.dataAccess, means);
  const candidates = means.definitions.filter(
    ({ connector: { manifest } }) =>
      manifest.system === system &&
      manifest.factors.hop === hop &&
      manifest.factors.dataAccess === dataAccess &&
      (route === '' || manifest.route === route),
  );
  if (candidates.length === 0) {
    return { possible: false, reason: `${system} has no connector ${describeWay(hop, dataAccess)}` };
  }
  const preferredFirst = candidates.toSorted(
    (a, b) => Number(means.preferred.includes(b.connector)) - Number(means.preferred.includes(a.connector)),
  );
  const refusals: string[] = [];
  for (const definition of preferredFirst) {
    const refusal = refusalBy(definition.connector, means.switches, settings, means.plain);
    if (refusal === null) return { possible: true, spec: specOf(definition, settings, means.plain) };
    refusals.push(refusal);
  }
  return { possible: false, reason: refusals.join('; ') };
}

/**
 * How a system has a data access: as it is, or, where it is code inside the database and the system has the other kind
 * of that alone, as that kind. So a step to one call of such code is measured in either system, and what differs between
 * the two kinds is part of the step between the systems.
 */
export function accessIn(
  system: string,
  access: DataAccess,
  { definitions }: Pick<Means, 'definitions'>,
): DataAccess {
  if (!codeInDatabase.includes(access)) return access;
  const ofSystem = definitions.filter(({ connector: { manifest } }) => manifest.system === system);
  const offered = new Set(ofSystem.map(({ connector: { manifest } }) => manifest.factors.dataAccess));
  return offered.has(access) ? access : (codeInDatabase.find((kind) => offered.has(kind)) ?? access);
}

const accessInWords: Readonly<Record<DataAccess, string>> = {
  statements: 'plain statements',
  orm: 'an ORM',
  'stored-procedure': 'a stored procedure',
  engine: 'code inside its engine',
};

/** The way in words: `with an ORM and no RPC server`. */
function describeWay(hop: string, dataAccess: DataAccess): string {
  return `with ${accessInWords[dataAccess]} and ${hop === 'none' ? 'no RPC server' : 'an RPC server'}`;
}

/** Settings as values. They were checked word by word before, so that a refusal here is a fault of ours. */
const valuesSchema = z.object({
  client: clientNameSchema,
  depth: z.coerce.number().int().min(1),
  sessions: z.coerce.number().int().min(1),
  alpha: z.coerce.number().min(0),
  durability: requestedDurabilitySchema,
  isolation: z.union([z.literal(plainIsolation).transform(() => null), isolationSchema]),
  processes: z.coerce.number().int().min(1),
  pool: z.coerce.number().int().min(1),
  profile: nameSchema,
  runtime: appRuntimeSchema,
});

function specOf(definition: TargetDefinition, settings: Settings, plain: Settings): CellSpec {
  const values = valuesSchema.parse(settings);
  const { client, alpha, depth, sessions, pool: poolSize, runtime: appRuntime } = values;
  const { durability, isolation, profile, processes } = values;
  const named = withVariant(definition, {
    ...(durability === plain['durability'] ? {} : { durability }),
    ...(isolation === null ? {} : { isolation }),
    ...(profile === plain['profile'] ? {} : { profile }),
    ...(appRuntime === plain['runtime'] ? {} : { appRuntime }),
    ...(settings['processes'] === plain['processes'] ? {} : { processes }),
  });
  const extra = extraOf(definition.connector, settings, plain);
  const words = [
    ...(settings['pool'] === plain['pool'] ? [] : [`pool-${poolSize}`]),
    ...Object.entries(extra).map(([key, value]) => `${key}-${value}`),
  ];
  const target = {
    ...named,
    target: withWords(named.target, words),
    settings: { ...named.settings, poolSize, extra: { ...named.settings.extra, ...extra } },
  };
  return { target, client, alpha, sessions, depth };
}

/** The connector's own settings that are not as plain. */
function extraOf({ manifest }: FoundConnector, settings: Settings, plain: Settings): Record<string, string> {
  const own = Object.keys(manifest.factors.extra);
  const changed = own.filter((key) => settings[key] !== plain[key]);
  return Object.fromEntries(changed.map((key) => [key, settings[key] ?? '']));
}

/** The target's name with more words after its `@`, in the letters that names have. */
function withWords(target: string, words: readonly string[]): string {
  if (words.length === 0) return target;
  const text = words
    .map((word) => word.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'))
    .join('-')
    .replaceAll(/-+$/g, '');
  return `${target}${target.includes('@') ? '-' : '@'}${text}`;
}
