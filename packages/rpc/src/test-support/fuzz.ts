import { outcomeSchema, type TransferAccess } from '@fair-bench/contract';
import { connectRpcSession } from '../client.ts';
import { badFrame, badRequest, hugeRequest, Random } from './bad-requests.ts';
import { exchangeRaw, type RawExchange, type RawReply, type RawRequest } from './raw-exchange.ts';

export interface FuzzOptions {
  /** The data port. */
  readonly url: string;
  /** The dataset of the server under test: at least three accounts, and account 1 can pay 5. */
  readonly access: TransferAccess;
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
 * Sends bad requests of every kind to a server and resolves when all were answered by a typed refusal or a
 * closed connection, no balance has changed, and a good transfer is applied still. Rejects with what was
 * wrong otherwise.
 */
export async function fuzzServer(options: FuzzOptions): Promise<FuzzReport> {
  const { url, access, signal } = options;
  const random = new Random(options.seed);
  const before = await readBalances(access, signal);
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
    record(await exchangeRaw(url, hugeRequest(random, hugeBytes)), 1);
  }
  while (tally.requests < options.requests) {
    signal.throwIfAborted();
    const batch = Array.from({ length: connectionsMax }, () => nextExchange(random));
    await Promise.all(
      batch.map(async ({ request, requests }) => {
        const exchange = await exchangeRaw(url, request);
        const answered = exchange.closed || exchange.replies.length === requests;
        if (!answered) throw new Error(`${requests} requests had ${exchange.replies.length} replies`);
        record(exchange, requests);
      }),
    );
  }

  demandEqual(await readBalances(access, signal), before);
  await demandGoodTransfer(url, signal);
  before.set(1, (before.get(1) ?? 0n) - 5n);
  before.set(2, (before.get(2) ?? 0n) + 5n);
  demandEqual(await readBalances(access, signal), before);
  return { requests: tally.requests, replies: Object.fromEntries(tally.replies), closed: tally.closed };
}

/** Well-framed bad requests go pipelined, many to a connection; broken frames alone. */
function nextExchange(random: Random): { request: RawRequest; requests: number } {
  if (random.below(2) === 0) return { request: badFrame(random), requests: 1 };
  const bytes = Buffer.concat(Array.from({ length: requestsPerConnection }, () => badRequest(random)));
  return {
    request: { bytes, replies: requestsPerConnection, after: 'keep' },
    requests: requestsPerConnection,
  };
}

function demandRefusal(reply: RawReply): void {
  const complain = (what: string): never => {
    throw new Error(`${what}: status ${reply.status}, body ${reply.body.slice(0, 500)}`);
  };
  const parsed = outcomeSchema.safeParse(safeJson(reply.body));
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

async function demandGoodTransfer(url: string, signal: AbortSignal): Promise<void> {
  const session = await connectRpcSession({ url, options: {} }, { index: 0, depth: 1, signal });
  try {
    const outcome = await session.execute({ source: 1, target: 2, amount: 5n });
    if (outcome.kind !== 'applied') {
      throw new Error(`a good transfer after the bad ones was not applied: ${JSON.stringify(outcome)}`);
    }
  } finally {
    await session.close();
  }
}

async function readBalances(access: TransferAccess, signal: AbortSignal): Promise<Map<number, bigint>> {
  const balances = new Map<number, bigint>();
  for await (const page of access.balances(signal)) {
    page.ids.forEach((id, index) => balances.set(id, page.balances[index] ?? -1n));
  }
  return balances;
}

function demandEqual(actual: ReadonlyMap<number, bigint>, expected: ReadonlyMap<number, bigint>): void {
  if (actual.size !== expected.size) {
    throw new Error(`there are ${actual.size} accounts, expected ${expected.size}`);
  }
  for (const [id, balance] of expected) {
    if (actual.get(id) !== balance) {
      throw new Error(`account ${id} has ${actual.get(id)}, expected ${balance}`);
    }
  }
}
