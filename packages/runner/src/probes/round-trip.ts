import { connect } from 'node:net';
import type { Observer } from '@fair-bench/contract';
import type { RoundTrip } from '@fair-bench/results';

const samplesPerTarget = 10;
const statementsMost = 200;
const statementsMsMax = 3_000;
const connectTimeoutMs = 2_000;
/** The default port of a URL's scheme. */
const defaultPorts: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
  'mariadb:': 3306,
  'mysql:': 3306,
  'redis:': 6379,
};

/**
 * The round trip to each of the user's endpoints: the shortest of several TCP handshakes, a lower bound for any reply; and of a
 * statement that reads no table, where the system has one. An endpoint that does not answer, or has no port, is left out.
 * @param urls target → endpoint.
 * @param observe opens an observer of a target; null where it is not ready.
 */
export async function measureRoundTrips(
  urls: Readonly<Record<string, string>>,
  observe: (target: string) => Promise<Observer | null>,
  signal: AbortSignal,
): Promise<RoundTrip[]> {
  const roundTrips: RoundTrip[] = [];
  for (const [target, url] of Object.entries(urls)) {
    const times: number[] = [];
    for (let sample = 0; sample < samplesPerTarget && !signal.aborted; sample += 1) {
      const connectMs = await handshakeMs(url);
      if (connectMs === null) break;
      times.push(connectMs);
    }
    if (times.length === 0) continue;
    const statementMs = await statementsMs(await observe(target), signal);
    roundTrips.push({
      target,
      tcpConnectMsMin: Math.min(...times),
      samples: times.length,
      ...(isLoopback(url) ? {} : { remote: true as const }),
      ...(statementMs === null ? {} : { statementMs }),
    });
  }
  return roundTrips;
}

/** Percentiles of statements one after the other, as many as fit; closes the observer. */
async function statementsMs(
  observer: Observer | null,
  signal: AbortSignal,
): Promise<RoundTrip['statementMs'] | null> {
  if (observer === null) return null;
  try {
    if (observer.ping === null) return null;
    // The first may prepare or plan something.
    await observer.ping();
    const times: number[] = [];
    const endsAtMs = performance.now() + statementsMsMax;
    while (times.length < statementsMost && performance.now() < endsAtMs && !signal.aborted) {
      const startedMs = performance.now();
      await observer.ping();
      times.push(performance.now() - startedMs);
    }
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): number | undefined => sorted[Math.ceil(share * sorted.length) - 1];
    const [p50, p99] = [at(0.5), at(0.99)];
    return p50 === undefined || p99 === undefined ? null : { p50, p99, samples: sorted.length };
  } finally {
    await observer.close();
  }
}

function isLoopback(url: string): boolean {
  const host = addressOf(url)?.host ?? '';
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** Null when there is no connection within two seconds. */
async function handshakeMs(url: string): Promise<number | null> {
  const address = addressOf(url);
  if (address === null) return null;
  const startedMs = performance.now();
  return await new Promise((resolve) => {
    const socket = connect({ ...address, timeout: connectTimeoutMs });
    const end = (result: number | null): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(performance.now() - startedMs));
    socket.once('timeout', () => end(null));
    socket.once('error', () => end(null));
  });
}

/** The address of a URL; null when it names no host, or its scheme has no known port. */
export function addressOf(url: string): { readonly host: string; readonly port: number } | null {
  const { hostname, port, protocol } = new URL(url);
  const number = port === '' ? defaultPorts[protocol] : Number(port);
  return hostname === '' || number === undefined
    ? null
    : { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: number };
}
