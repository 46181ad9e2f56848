import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { makeFunctionReference } from 'convex/server';
import { functionNames } from '@fair-bench/rpc-server-convex';
import { testedFunctions, type TestedFunctions } from '@fair-bench/rpc-server-convex/test-support';
import type { Value } from 'convex/values';
import { z } from 'zod';
import type { TargetWorkload } from '@fair-bench/contract';
import { createCommitFileDouble, type CommitFileDouble } from './commit-file-double.ts';
import { transfers } from './transfers.ts';
import { type Push, pushReplies, readPush } from './push-double.ts';
import { serveSyncDouble, type SyncDouble } from './sync-double.ts';

/**
 * Not Convex: the protocols that the connectors use with it, over our own functions in the model of `convex-test`,
 * served on the loopback interface. It shows that both ends understand each other, and nothing about Convex's speed:
 * only for tests.
 */
export interface ConvexProtocolDouble extends SyncDouble {
  readonly url: string;
  readonly siteUrl: string;
  readonly adminKey: string;
  /** The folder of its one file; see `CommitFileDouble`. */
  readonly dataDirectory: string;
  /** Method and path of every request so far. */
  requests(): readonly string[];
  pushes(): readonly Push[];
  close(): Promise<void>;
}

export interface DoubleOptions {
  /** Whose functions it has; the transfer's unless given. */
  readonly workload?: TargetWorkload;
  /** Functions of someone else that it reports. */
  readonly foreignFunctions?: readonly string[];
  /** Its answer to a push, a refusal. It may mention the key. */
  readonly refusePush?: (adminKey: string) => string;
  /** How mutations fail without being applied: `GivenUp` by Convex, or thrown by the function. */
  readonly failure?: () => Error | null;
  readonly showsMetrics?: boolean;
}

/** Its version identifies the double in any output. */
export const doubleVersion = 'convex-protocol-double';
const adminKey = 'double|01f00dfeedfacecafe0123456789abcdef';
const queries: readonly string[] = [functionNames.page, functionNames.find, functionNames.describe];
const callSchema = z.object({ path: z.string(), args: z.record(z.string(), z.json()) });

export async function startConvexProtocolDouble(options: DoubleOptions = {}): Promise<ConvexProtocolDouble> {
  const file = await createCommitFileDouble();
  const { shape, folder } = options.workload ?? transfers;
  const double = new Double(
    options,
    testedFunctions(shape, async () => await import(join(folder, 'convex.ts'))),
    file,
  );
  const api = createServer((request, response) => {
    void answer(response, double.answerApi(request));
  });
  const site = createServer((request, response) => {
    void answer(response, double.answerSite(request));
  });
  site.keepAliveTimeout = 0;
  const sync = serveSyncDouble(api, async (path, args) => await double.mutate(path, args));
  const siteUrl = await listen(site);
  const url = await listen(api);
  double.siteUrl = siteUrl;
  return {
    ...sync,
    url,
    siteUrl,
    adminKey,
    dataDirectory: file.directory,
    requests: () => double.requests,
    pushes: () => double.pushes,
    async close() {
      sync.cut();
      await Promise.all([stop(api), stop(site)]);
      await file.close();
    },
  };
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

class Double {
  siteUrl = '';
  readonly requests: string[] = [];
  readonly pushes: Push[] = [];
  readonly #options: DoubleOptions;
  readonly #functions: TestedFunctions;
  readonly #file: CommitFileDouble;

  constructor(options: DoubleOptions, functions: TestedFunctions, file: CommitFileDouble) {
    this.#options = options;
    this.#functions = functions;
    this.#file = file;
  }

  async answerSite(request: IncomingMessage): Promise<Reply> {
    const { method = 'GET', url = '/' } = request;
    this.requests.push(`${method} ${url}`);
    const body = await bodyOf(request);
    const response = await this.#functions.fetch(
      url,
      method === 'GET' ? {} : { method, body: body.toString() },
    );
    if (method === 'POST') this.#file.write();
    const { status, headers } = response;
    return { status, headers: Object.fromEntries(headers), body: await response.text() };
  }

  async mutate(path: string, args: Value | undefined): Promise<Value> {
    const failure = this.#options.failure?.() ?? null;
    if (failure !== null) throw failure;
    const argumentsRecord = z.record(z.string(), z.custom<Value>()).parse(args);
    const value: Value = await this.#functions.mutation(
      makeFunctionReference<'mutation'>(path),
      argumentsRecord,
    );
    this.#file.write();
    return value;
  }

  async answerApi(request: IncomingMessage): Promise<Reply> {
    const path = request.url ?? '/';
    this.requests.push(`${request.method ?? ''} ${path}`);
    const body = await bodyOf(request);
    if (path === '/version') return { status: 200, body: doubleVersion };
    if (path === '/metrics') return this.#metrics();
    if (path in pushReplies) return this.#push(path, body);
    if (request.headers.authorization !== `Convex ${adminKey}`) {
      return { status: 401, body: '{"code":"BadAdminKey","message":"The provided admin key was invalid"}' };
    }
    if (path === '/api/v1/deployment_info') return { status: 200, body: '{"kind":"selfHosted"}' };
    if (path === '/api/function') return await this.#call(callSchema.parse(JSON.parse(body.toString())));
    return { status: 404, body: `{"code":"NotFound","message":"the double has no ${path}"}` };
  }

  async #call({ path, args }: z.infer<typeof callSchema>): Promise<Reply> {
    try {
      const value = await this.#run(path, args);
      return { status: 200, body: JSON.stringify({ status: 'success', value }) };
    } catch (error) {
      const errorMessage = error instanceof Error ? error.message : String(error);
      return { status: 200, body: JSON.stringify({ status: 'error', errorMessage }) };
    }
  }

  async #run(path: string, args: Record<string, Value>): Promise<unknown> {
    if (path === '_system/cli/modules:apiSpec') {
      return (this.#options.foreignFunctions ?? []).map((identifier) => ({
        identifier,
        functionType: 'Query',
      }));
    }
    if (path === functionNames.describe) return { functions: '1', siteUrl: this.siteUrl };
    if (queries.includes(path))
      return await this.#functions.query(makeFunctionReference<'query'>(path), args);
    return await this.mutate(path, args);
  }

  #metrics(): Reply {
    if (this.#options.showsMetrics === false) return { status: 404, body: '{"code":"MetricsDisabled"}' };
    const body = [
      `convex_local_backend_database_commit_seconds_count{status="success"} ${this.#file.commits()}`,
      'convex_local_backend_database_commit_seconds_count{status="error"} 99',
      'convex_local_backend_occ_retries_total_sum 0',
    ];
    return { status: 200, body: body.join('\n') };
  }

  #push(path: string, body: Buffer): Reply {
    const refusal = this.#options.refusePush?.(adminKey);
    if (refusal !== undefined)
      return { status: 400, body: JSON.stringify({ code: 'Refused', message: refusal }) };
    if (path === '/api/deploy2/start_push') this.pushes.push(readPush(body));
    return { status: 200, body: JSON.stringify(pushReplies[path]) };
  }
}

async function answer(response: ServerResponse, reply: Promise<Reply>): Promise<void> {
  const { status, headers = {}, body } = await reply;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the double has no port');
  return `http://127.0.0.1:${address.port}`;
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => {
    server.close(resolve);
  });
  server.closeAllConnections();
  await closed;
}
