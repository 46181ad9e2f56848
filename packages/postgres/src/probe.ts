import type { Availability, TargetOptions } from '@fair-bench/contract';
import { reasonOf, redactUrl } from './connection.ts';
import { embeddedVersion } from './binaries.ts';
import { reachedVersion } from './url-server.ts';

const probeTimeoutMs = 8_000;

/** Whether a PostgreSQL could be had here: the one at the user's URL, which must answer, or the embedded one. */
export async function probePostgres(options: TargetOptions): Promise<Availability> {
  if (options.url !== undefined) {
    try {
      const version = await reachedVersion(options.url, AbortSignal.timeout(probeTimeoutMs));
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
