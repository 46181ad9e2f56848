import { type Availability, noPooler, type TargetOptions, messageOf } from '@fair-bench/contract';
import { z } from 'zod';
import { schemaRefusal } from '@fair-bench/sql';
import { detectCapabilities, lackOf, type Need } from './capabilities.ts';
import { withClient } from './connection.ts';
import { connectionLimit } from './connections.ts';
import {
  beyondLimit,
  type ConnectionsOf,
  findProgram,
  programVersion,
  redactUrl,
} from '@fair-bench/supervisor';
import { embeddedVersion } from './binaries.ts';
import { missingPooler } from './poolers/start.ts';
import { extraSchema, profileDifferences, profileOf } from './profile.ts';
import { asLibpq, requestedSettings, sessionUrl } from './session-url.ts';
import { readSettings } from './settings.ts';
import { dialect } from './statements.ts';
import { sqlOf } from './connection.ts';

const probeTimeoutMs = 8_000;
const versionSchema = z.tuple([
  z.object({ version: z.string(), number: z.coerce.number(), product: z.string() }),
]);
const versionNumberMin = 140_000;
/** The first version whose initdb accepts settings. */
const programMajorMin = 16;

/**
 * The probe of a route: whether a PostgreSQL is available here, either the one at the user's URL, which must answer
 * and have what the route needs, or the embedded one, which has everything.
 */
export function probeFor(
  needs: readonly Need[],
  holds: ConnectionsOf,
): (options: TargetOptions) => Promise<Availability> {
  return async (options) =>
    foreignTls(options) ??
    (await missingPooler(options, needs.includes('preparedStatements'))) ??
    (await probePostgres(options, needs, holds));
}

/** Where `tls=on` cannot be in force; null where it can, or was not requested. */
function foreignTls({ url, pooler, extra }: TargetOptions): Availability | null {
  if (extraSchema.parse(extra).tls === 'off') return null;
  const lacking = (reason: string, remedy: string) => ({ available: false, reason, remedy }) as const;
  if (url !== undefined)
    return lacking(
      'tls=on is a setting of servers that are started here',
      'say it in the URL: ?sslmode=require',
    );
  if (pooler !== noPooler)
    return lacking('the sessions of a pooler that is started here are not encrypted', 'leave tls=on out');
  return null;
}

/** `holds`: what decides how many connections a route has at once. */
async function probePostgres(
  options: TargetOptions,
  needs: readonly Need[],
  holds: ConnectionsOf,
): Promise<Availability> {
  const profile = profileOf(options);
  if (options.url !== undefined) {
    try {
      const signal = AbortSignal.timeout(probeTimeoutMs);
      const url = asLibpq(options.url);
      const version = await reachedVersion(url, signal);
      const capabilities = await detectCapabilities(url, signal);
      const lack = lackOf(capabilities, needs);
      if (lack !== null) {
        const reason = `PostgreSQL at ${redactUrl(options.url)}: ${lack.reason}`;
        return { available: false, reason, remedy: lack.remedy };
      }
      const dropped = await settingsDropped(url, options, signal);
      if (dropped !== null) return dropped;
      const { live, schema, limit } = await withClient({ connectionString: url }, signal, async (client) => ({
        live: await readSettings(client),
        schema: await schemaRefusal(sqlOf(client), dialect),
        // Behind a pooler sessions are the pooler's, whose limits are not the server's.
        limit: capabilities.pooling === 'none' ? await connectionLimit(client) : null,
      }));
      if (schema !== null) {
        const reason = `PostgreSQL at ${redactUrl(options.url)}: ${schema.reason}`;
        return { available: false, reason, remedy: schema.remedy };
      }
      const tooMany = limit === null ? null : beyondLimit(limit, options, holds);
      if (tooMany !== null) return tooMany;
      const differences = profileDifferences(profile, live);
      if (differences.length > 0) return otherwiseSet(profile.name, differences);
      return { available: true, provider: 'url', version };
    } catch (error) {
      return {
        available: false,
        reason: `PostgreSQL at ${redactUrl(options.url)}: ${messageOf(error)}`,
        remedy: 'give a URL that connects, as --url postgres=postgres://USER:PASSWORD@HOST:PORT/DATABASE',
      };
    }
  }
  try {
    if (options.program !== null) return await probeProgram(options.program);
    return { available: true, provider: 'embedded', version: embeddedVersion() };
  } catch (error) {
    return {
      available: false,
      reason: messageOf(error),
      remedy: 'name a PostgreSQL of your own by --url postgres=postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    };
  }
}

/**
 * Sessions ask for isolation and asynchronous commits when they connect: a pooler may refuse that, or drop it and say nothing. Null
 * where all that the target asks for is in force.
 */
async function settingsDropped(
  url: string,
  options: TargetOptions,
  signal: AbortSignal,
): Promise<Availability | null> {
  const requested = Object.entries(requestedSettings(options));
  if (requested.length === 0) return null;
  const words = requested.map(([name, value]) => `${name} = ${value}`).join(', ');
  const lacking = (fact: string): Availability => ({
    available: false,
    reason: `PostgreSQL at ${redactUrl(options.url ?? url)}: ${fact}`,
    remedy: `give the URL of the server itself, not of a pooler in front of it, or measure the target without ${words}`,
  });
  try {
    const config = { connectionString: sessionUrl(url, options) };
    const live = await withClient(config, signal, readSettings);
    const isInForce = requested.every(([name, value]) => live[name.replace('default_', '')] === value);
    return isInForce ? null : lacking(`its sessions ask for ${words} and do not have it`);
  } catch (error) {
    signal.throwIfAborted();
    return lacking(`it refuses sessions that ask for ${words}: ${messageOf(error)}`);
  }
}

async function probeProgram(path: string): Promise<Availability> {
  const version = await programVersion((await findProgram({ system: 'postgres', names: [], path })) ?? path);
  if (Number.parseInt(version, 10) >= programMajorMin)
    return { available: true, provider: 'binary', version };
  return {
    available: false,
    reason: `PostgreSQL ${version} at ${path} is too old to be started here`,
    remedy: `name a build of ${programMajorMin} or later, or start it yourself and name it by --url postgres=…`,
  };
}

/**
 * Most settings of a profile are read when a server starts: no user, not even a superuser, can set them by a
 * connection.
 */
function otherwiseSet(profile: string, differences: readonly string[]): Availability {
  return {
    available: false,
    reason: `the server at the URL differs from the profile ${profile}: ${differences.join('; ')}`,
    remedy: 'set them in its postgresql.conf and restart it, or measure it as it is with --profile default',
  };
}

/** The version of the server at a URL. Rejects when it does not answer, or is a PostgreSQL older than 14. */
export async function reachedVersion(url: string, signal: AbortSignal): Promise<string> {
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new Error('not a URL that begins with postgres:// or postgresql://');
  return await withClient({ connectionString: url }, signal, async (client) => {
    const { rows } = await client.query(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number, version() AS product`,
    );
    const [{ version, number, product }] = versionSchema.parse(rows);
    // CockroachDB before 26.3 says that it is PostgreSQL 13, of which it has more than that version had.
    const [, cockroach] = /^CockroachDB \S+ v(\S+)/.exec(product) ?? [];
    if (cockroach !== undefined) return `CockroachDB ${cockroach}`;
    if (number < versionNumberMin) throw new Error(`PostgreSQL ${version} is too old; 14 or later is needed`);
    return version.split(' ')[0] ?? version;
  });
}
