import { connect } from 'node:net';
import type { RoundTrip } from '@fair-bench/results';

const samplesPerTarget = 10;
const connectTimeoutMs = 2_000;
/** The default port of a URL's scheme. */
const defaultPorts: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
};

/**
 * The network round trip to each of the user's endpoints: the shortest of several TCP handshakes, a lower bound for
 * any reply. An endpoint that does not answer, or has no port, is left out.
 * @param urls target → endpoint.
 */
export async function measureRoundTrips(
  urls: Readonly<Record<string, string>>,
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
    if (times.length > 0) {
      roundTrips.push({ target, tcpConnectMsMin: Math.min(...times), samples: times.length });
    }
  }
  return roundTrips;
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
