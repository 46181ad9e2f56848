import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

const portOfSystem = 3306;

/** What a URL says of a server, in the words of both drivers. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database?: string;
  /** Absent for plain text. */
  readonly ssl?: Tls;
}

interface Tls {
  readonly ca?: Buffer;
  readonly rejectUnauthorized: boolean;
  /** What is wrong with the server's name in its certificate. */
  readonly checkServerIdentity?: (name: string, certificate: PeerCertificate) => Error | undefined;
  /** As the other driver has it. */
  readonly verifyIdentity?: boolean;
}

const modes = ['DISABLED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'] as const;

/**
 * Reads a URL, with MySQL's `ssl-mode` and `ssl-ca`: REQUIRED encrypts and verifies nothing, VERIFY_CA verifies the authority,
 * VERIFY_IDENTITY the host too. An authority alone means VERIFY_CA, as in MySQL's own client. Throws for another mode.
 */
export function endpointOf(url: string): Endpoint {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1));
  // A URL has an IPv6 address in brackets, a socket without.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const ssl = tlsOf(searchParams, host);
  return {
    host,
    port: Number(port || portOfSystem),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ...(database === '' ? {} : { database }),
    ...(ssl === null ? {} : { ssl }),
  };
}

function tlsOf(parameters: URLSearchParams, host: string): Tls | null {
  const authority = parameters.get('ssl-ca');
  const given = parameters.get('ssl-mode') ?? (authority === null ? 'DISABLED' : 'VERIFY_CA');
  const mode = modes.find((one) => one === given.toUpperCase());
  if (mode === undefined) throw new Error(`ssl-mode: got "${given}"; accepts ${modes.join(', ')}`);
  if (mode === 'DISABLED') return null;
  if (mode === 'REQUIRED') return { rejectUnauthorized: false };
  const ca = authority === null ? {} : { ca: readFileSync(authority) };
  const isIdentity = mode === 'VERIFY_IDENTITY';
  return {
    ...ca,
    rejectUnauthorized: true,
    verifyIdentity: isIdentity,
    // Both drivers, on a socket that they are given, would compare another name.
    checkServerIdentity: (_, certificate) =>
      isIdentity ? checkServerIdentity(host, certificate) : undefined,
  };
}

/**
 * An endpoint as mysql2 takes it. Throws for an address whose certificate is to be checked: mysql2 compares a certificate with names,
 * and an address with `localhost`.
 */
export function forMysql2(endpoint: Endpoint): Endpoint {
  const { host, ssl } = endpoint;
  if (ssl?.verifyIdentity === true && isIP(host) !== 0) {
    throw new Error(
      `ssl-mode=VERIFY_IDENTITY: mysql2 does not compare the address ${host} with a certificate; name the server by its host name, or use VERIFY_CA`,
    );
  }
  return endpoint;
}
