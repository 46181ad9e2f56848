import { fetch, type RequestInit, type Response } from 'undici';
import { z } from 'zod';
import { type JsonObject, messageOf } from '@fair-bench/contract';
import type { AdminKey } from './admin-key.ts';

export type DeploymentKind = 'self-hosted' | 'cloud' | 'unknown';

export type AdminApi = ReturnType<typeof adminApi>;

/** A refusal of the deployment. */
class RefusedError extends Error {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const kindSchema = z.object({ kind: z.string() });
const resultSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('success'), value: z.unknown() }),
  z.object({ status: z.literal('error'), errorMessage: z.string() }),
]);
const kinds: Readonly<Record<string, DeploymentKind>> = { selfHosted: 'self-hosted', cloud: 'cloud' };
const replyCharactersMax = 300;

/**
 * The API at a deployment's URL, as in https://docs.convex.dev/http-api, as far as the control plane needs it. Every
 * call rejects with the deployment's message.
 */
export function adminApi(url: string, key: AdminKey) {
  const { origin } = new URL(url);
  const headers = { authorization: key.authorization };

  async function send(path: string, signal: AbortSignal, request: RequestInit = {}): Promise<string> {
    let response: Response;
    try {
      // A redirect would send the key to another server.
      response = await fetch(`${origin}${path}`, { ...request, signal, redirect: 'error' });
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`no answer from ${origin}${path}: ${key.redact(messageOf(error))}`, { cause: error });
    }
    const text = await response.text();
    if (response.ok) return text;
    const said = key.redact(text.slice(0, replyCharactersMax));
    throw new RefusedError(`${origin}${path} answered ${response.status}: ${said}`, response.status);
  }

  return {
    /** Scheme, host and port: the part of its URL that may be shown. */
    origin,
    key,
    async version(signal: AbortSignal) {
      const version = (await send('/version', signal)).trim();
      if (version === '' || version.length > 200 || version.includes('<')) {
        throw new Error(`${origin}/version has no version: is it a Convex deployment?`);
      }
      return version;
    },
    /** The operator that it reports; unknown if it is too old. Rejects when it refuses the key. */
    async kind(signal: AbortSignal): Promise<DeploymentKind> {
      try {
        const text = await send('/api/v1/deployment_info', signal, { headers });
        const { kind } = parseReply(kindSchema, text, `${origin}/api/v1/deployment_info`);
        return kinds[kind] ?? 'unknown';
      } catch (error) {
        if (error instanceof RefusedError && error.status === 404) return 'unknown';
        throw error;
      }
    },
    /** Runs a function of ours or of Convex's own, including internal ones, and parses the result. */
    async call<Result>(
      functionName: string,
      args: JsonObject,
      result: z.ZodType<Result>,
      signal: AbortSignal,
    ) {
      const text = await send('/api/function', signal, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ path: functionName, format: 'json', args }),
      });
      const reply = parseReply(resultSchema, text, `${origin}/api/function`);
      if (reply.status === 'success') return result.parse(reply.value);
      throw new Error(`${functionName} at ${origin} failed: ${key.redact(reply.errorMessage)}`);
    },
    /** Lines of Prometheus text, or null if the backend does not show it. */
    async metrics(signal: AbortSignal) {
      try {
        return (await send('/metrics', signal)).split('\n');
      } catch (error) {
        if (error instanceof RefusedError) return null;
        throw error;
      }
    },
  };
}

/** A reply that is not Convex's is not quoted: another server may echo what it was sent. */
function parseReply<Reply>(schema: z.ZodType<Reply>, text: string, where: string): Reply {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Error(`${where} did not answer as Convex does: is it a Convex deployment?`);
  }
}
