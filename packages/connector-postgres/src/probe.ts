import type { Availability, TargetOptions } from '@fair-bench/contract';
import { detectCapabilities, lackOf, type Need } from './capabilities.ts';
import { redactUrl, withClient } from './connection.ts';
import { reasonOf } from '@fair-bench/session';
import { embeddedVersion } from './binaries.ts';
import { profileDifferences, profileOf } from './profile.ts';
import { readSettings } from './settings.ts';
import { reachedVersion } from './url-server.ts';

const probeTimeoutMs = 8_000;

/**
 * The probe of a route: whether a PostgreSQL could be had here, the one at the user's URL, which must answer and have
 * what the route needs, or the embedded one, which has it all.
 */
export function probeFor(needs: readonly Need[]): (options: TargetOptions) => Promise<Availability> {
  return async (options) => await probePostgres(options, needs);
}

async function probePostgres(options: TargetOptions, needs: readonly Need[]): Promise<Availability> {
  const profile = profileOf(options);
  if (options.url !== undefined) {
    try {
      const signal = AbortSignal.timeout(probeTimeoutMs);
      const version = await reachedVersion(options.url, signal);
      const lack = lackOf(await detectCapabilities(options.url, signal), needs);
      if (lack !== null) {
        const reason = `PostgreSQL at ${redactUrl(options.url)}: ${lack.reason}`;
        return { available: false, reason, remedy: lack.remedy };
      }
      const live = await withClient({ connectionString: options.url }, signal, readSettings);
      const differences = profileDifferences(profile, live);
      if (differences.length > 0) return otherwiseSet(profile.name, differences);
      return { available: true, provider: 'url', version };
    } catch (error) {
      return {
        available: false,
        reason: `PostgreSQL at ${redactUrl(options.url)}: ${reasonOf(error)}`,
        remedy: 'give a URL that connects, as --url postgres=postgres://USER:PASSWORD@HOST:PORT/DATABASE',
      };
    }
  }
  try {
    return { available: true, provider: 'embedded', version: embeddedVersion() };
  } catch (error) {
    return {
      available: false,
      reason: reasonOf(error),
      remedy: 'name a PostgreSQL of your own by --url postgres=postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    };
  }
}

/** Most of a profile is read when a server starts: no user of it, a superuser neither, can set it by a connection. */
function otherwiseSet(profile: string, differences: readonly string[]): Availability {
  return {
    available: false,
    reason: `the server at the URL is not set as the profile ${profile} asks: ${differences.join('; ')}`,
    remedy:
      'set it so in its postgresql.conf and start it anew, or measure it as it is, by --profile default',
  };
}
