import type { ControlPlane, OperationShape, WorkloadShape } from '@fair-bench/contract';
import { outcomeJsonSchema } from '../codec/outcome.ts';
import { encodeRows } from '../codec/rows.ts';
import { badFrame, badRequest, hugeRequest, Random } from './bad-requests.ts';
import { exchangeRaw, type RawExchange, type RawReply, type RawRequest } from './raw-exchange.ts';

export interface FuzzOptions {
  /** The data port. */
  readonly url: string;
  readonly workload: WorkloadShape;
  /** The tables of the server under test. */
  readonly tables: ControlPlane;
  /** Bad requests in all. */
  readonly requests: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

export interface FuzzReport {
  readonly requests: number;
  /** Replies by HTTP status. */
  readonly replies: Readonly<Record<string, number>>;
  /** Connections that the server ended. */
  readonly closed: number;
}

const requestsPerConnection = 50;
const connectionsMax = 20;
const hugeBytes = 10_000_000;
const hugeRequests = 6;

/**
 * Sends bad requests of every kind to a server; resolves when all got a typed refusal or a closed connection, and no
 * row has changed. Otherwise rejects with the error.
 */
export async function fuzzServer(options: FuzzOptions): Promise<FuzzReport> {
  const { url, workload, tables, signal } = options;
  // Without arguments hardly any body is invalid.
  const operations = workload.operations.filter((operation) => operation.arguments.length > 0);
  const random = new Random(options.seed);
  const before = await textOf(tables, workload, signal);
  const tally = { requests: 0, replies: new Map<number, number>(), closed: 0 };
  const record = (exchange: RawExchange, requests: number) => {
    tally.requests += requests;
    if (exchange.closed) tally.closed += 1;
    for (const reply of exchange.replies) {
      demandRefusal(reply);
      tally.replies.set(reply.status, (tally.replies.get(reply.status) ?? 0) + 1);
    }
  };

  for (let sent = 0; sent < hugeRequests; sent += 1) {
    for (const operation of operations) {
      record(await exchangeRaw(url, hugeRequest(random, operation, hugeBytes)), 1);
    }
  }
  while (tally.requests < options.requests) {
    signal.throwIfAborted();
    const batch = Array.from({ length: connectionsMax }, () => nextExchange(random, operations));
    await Promise.all(
      batch.map(async ({ request, requests }) => {
        const exchange = await exchangeRaw(url, request);
        const answered = exchange.closed || exchange.replies.length === requests;
        if (!answered) throw new Error(`${requests} requests had ${exchange.replies.length} replies`);
        record(exchange, requests);
      }),
    );
  }

  if ((await textOf(tables, workload, signal)) !== before) throw new Error('a bad request changed a row');
  return { requests: tally.requests, replies: Object.fromEntries(tally.replies), closed: tally.closed };
}

/** Well-framed bad requests are pipelined, many per connection; broken frames use one each. */
function nextExchange(
  random: Random,
  operations: readonly OperationShape[],
): { request: RawRequest; requests: number } {
  if (random.below(2) === 0) return { request: badFrame(random, operations), requests: 1 };
  const bytes = Buffer.concat(
    Array.from({ length: requestsPerConnection }, () => badRequest(random, operations)),
  );
  return {
    request: { bytes, replies: requestsPerConnection, after: 'keep' },
    requests: requestsPerConnection,
  };
}

function demandRefusal(reply: RawReply): void {
  const complain = (what: string): never => {
    throw new Error(`${what}: status ${reply.status}, body ${reply.body.slice(0, 500)}`);
  };
  const parsed = outcomeJsonSchema.safeParse(safeJson(reply.body));
  if (!parsed.success) return complain('a reply is no outcome');
  const outcome = parsed.data;
  if (outcome.kind === 'applied') return complain('a bad request was applied');
  if (outcome.kind === 'fault' && outcome.code !== 'invalid-request')
    return complain('the fault has another code');
  if ((outcome.kind === 'fault') !== reply.status >= 400) return complain('status and outcome disagree');
  if (reply.status >= 500) return complain('the server failed');
  if (/\n\s+at |node_modules|\.ts:\d/.test(reply.body)) return complain('a reply shows a stack trace');
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Every row of every table, sorted. */
async function textOf(tables: ControlPlane, workload: WorkloadShape, signal: AbortSignal): Promise<string> {
  const lines: string[] = [];
  for (const table of workload.tables.keys()) {
    for await (const page of tables.scan(table, signal)) {
      for (const row of page) lines.push(`${table} ${encodeRows([row])}`);
    }
  }
  return lines.sort().join('\n');
}
