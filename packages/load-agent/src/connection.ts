import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { firstIssue, InputError, messageOf } from '@fair-bench/contract';
import {
  type Authenticator,
  connect,
  errors,
  type NatsConnection,
  nkeyAuthenticator,
  type NodeConnectionOptions,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { z } from 'zod';

/** The address and the credentials of NATS. */
export interface NatsAccess {
  readonly url: string;
  /** A file with credentials and certificates; null where the server needs none. */
  readonly authFile: string | null;
}

/** Paths in the file are relative to it. */
const authSchema = z
  .strictObject({
    user: z.string().min(1).optional(),
    password: z.string().min(1).optional(),
    token: z.string().min(1).optional(),
    nkeyFile: z.string().min(1).optional(),
    caFile: z.string().min(1).optional(),
    certFile: z.string().min(1).optional(),
    keyFile: z.string().min(1).optional(),
  })
  .refine(
    ({ user, token, nkeyFile }) => [user, token, nkeyFile].filter((one) => one !== undefined).length <= 1,
    'accepts one of user and password, token, nkeyFile',
  )
  .refine(
    ({ user, password }) => (user === undefined) === (password === undefined),
    'user and password go together',
  );
type Auth = z.infer<typeof authSchema>;

/** The latest time at which a dead connection is noticed. */
const pingIntervalMs = 2000;
const connectMs = 5000;

interface NatsUser {
  /** As the server's own log calls it. */
  readonly name: string;
  /** For callers that wait for a server: called with the reason before each further attempt. */
  readonly wait?: (reason: string) => Promise<void>;
}

/** Connects to NATS; reconnects until it is closed. Rejects with an InputError that names the server, never a secret. */
export async function connectNats(
  { url, authFile }: NatsAccess,
  { name, wait }: NatsUser,
): Promise<NatsConnection> {
  const auth = authFile === null ? {} : await readAuth(authFile);
  const options: NodeConnectionOptions = {
    servers: url,
    name,
    authenticator: await authenticators(auth, authFile),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: pingIntervalMs,
    maxPingOut: 2,
    timeout: connectMs,
  };
  const tls = tlsOf(auth, authFile);
  const wantsTls = tls !== null || url.startsWith('tls:');
  const all = wantsTls ? { ...options, tls: { ...tls, ...identityOf(url) } } : options;
  for (;;) {
    try {
      return await connect(all);
    } catch (cause) {
      const reason = `NATS at ${url}: ${messageOf(cause)}; ${remedyFor(cause, wantsTls)}`;
      if (wait === undefined || cause instanceof errors.AuthorizationError)
        throw new InputError(reason, { cause });
      await wait(reason);
    }
  }
}

function remedyFor(cause: unknown, wantsTls: boolean): string {
  if (cause instanceof errors.AuthorizationError)
    return 'give it the credentials of this server by --nats-auth FILE (docs/several-machines.md)';
  if (isOfTls(cause, wantsTls))
    return 'use tls:// for a server with TLS and nats:// for one without; --nats-auth FILE names its caFile, and a certFile where it wants one';
  return 'start nats-server there, or correct --nats';
}

/** Of OpenSSL, and of checked certificates: https://nodejs.org/api/tls.html#x509-certificate-error-codes. */
const tlsCodes =
  /^ERR_(TLS|SSL|OSSL)_|CERT|CRL|SIGNATURE|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$/;

function isOfTls(error: unknown, wantsTls: boolean): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && tlsCodes.test(String(error.code))) return true;
  if (error.cause !== undefined) return isOfTls(error.cause, wantsTls);
  // The NATS client has no code for a server without TLS: it refuses the server itself, with no error of a socket as cause.
  return wantsTls && error instanceof errors.ConnectionError;
}

/** The URL of a NATS server; null if it is not one. Secrets have a file: a command line is seen by others. */
export function natsUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, username, password, hostname } = new URL(text);
  const isNats = protocol === 'nats:' || protocol === 'tls:';
  return isNats && hostname !== '' && username === '' && password === '' ? text : null;
}

async function readAuth(file: string): Promise<Auth> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new InputError(`--nats-auth: ${file} cannot be read: ${messageOf(cause)}`, { cause });
  });
  try {
    const parsed = authSchema.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    throw new InputError(`--nats-auth: ${file}: ${firstIssue(parsed.error)}`);
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    // Invalid JSON may be a secret itself: it is not shown.
    throw new InputError(`--nats-auth: ${file} is not JSON`);
  }
}

async function authenticators(
  { user, password, token, nkeyFile }: Auth,
  authFile: string | null,
): Promise<Authenticator[]> {
  if (user !== undefined) return [usernamePasswordAuthenticator(user, password)];
  if (token !== undefined) return [tokenAuthenticator(token)];
  if (nkeyFile === undefined) return [];
  const path = beside(authFile, nkeyFile);
  const seed = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new InputError(`--nats-auth: nkeyFile ${path} cannot be read: ${messageOf(cause)}`, { cause });
  });
  return [nkeyAuthenticator(new TextEncoder().encode(seed.trim()))];
}

function tlsOf(
  { caFile, certFile, keyFile }: Auth,
  authFile: string | null,
): NodeConnectionOptions['tls'] | null {
  if (caFile === undefined && certFile === undefined) return null;
  return {
    ...(caFile === undefined ? {} : { caFile: beside(authFile, caFile) }),
    ...(certFile === undefined ? {} : { certFile: beside(authFile, certFile) }),
    ...(keyFile === undefined ? {} : { keyFile: beside(authFile, keyFile) }),
  };
}

/** The client compares the certificate of a server that is named by its address with "localhost" otherwise. */
function identityOf(url: string): { readonly host?: string } {
  const host = new URL(url).hostname.replaceAll(/[[\]]/g, '');
  return isIP(host) === 0 ? {} : { host };
}

function beside(authFile: string | null, file: string): string {
  return resolve(dirname(authFile ?? '.'), file);
}
