import { makeFunctionReference, type GenericActionCtx } from 'convex/server';
import type { DataModel } from './builders.ts';
import { jsonReply } from './reply.ts';
import type { TransferOutcome } from './transfer.ts';

const transfer = makeFunctionReference<
  'mutation',
  { source: number; target: number; amount: bigint },
  TransferOutcome
>('transfer:transfer');

const accountMax = 0xffff_ffff;
const amountMax = 9_223_372_036_854_775_807n;
const amountMin = -9_223_372_036_854_775_808n;
const bodyLengthMax = 16_384;
const appliedText = '{"kind":"applied","retries":0}';

interface Request64 {
  readonly source: number;
  readonly target: number;
  readonly amount: bigint;
}

/** `POST /transfer` as in packages/rpc/PROTOCOL.md: the same bytes mean the same on every server. */
export async function handleTransfer(
  ctx: Pick<GenericActionCtx<DataModel>, 'runMutation'>,
  request: Request,
): Promise<Response> {
  const parsed = parseRequest(await request.text());
  if (typeof parsed === 'string') return fault('invalid-request', false, parsed);
  let outcome: TransferOutcome;
  try {
    outcome = await ctx.runMutation(transfer, { ...parsed });
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error));
  }
  if (outcome.kind === 'applied') return jsonReply(200, appliedText);
  if (outcome.kind === 'fault') return fault(outcome.code, false, outcome.message);
  return jsonReply(200, `{"kind":"declined","reason":"${outcome.reason}","retries":0}`);
}

/** The transfer, or what is wrong with the request. Nothing is converted to the type that it should have. */
function parseRequest(body: string): Request64 | string {
  if (body.length > bodyLengthMax) return 'the body is too large';
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'the body is not JSON';
  }
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 3) {
    return 'the body must be an object of source, target and amount';
  }
  if (!('source' in value) || !isAccount(value.source)) return 'source must be an account id';
  if (!('target' in value) || !isAccount(value.target)) return 'target must be an account id';
  if (!('amount' in value) || typeof value.amount !== 'string' || !/^-?[0-9]{1,40}$/.test(value.amount)) {
    return 'amount must be a decimal integer in a string';
  }
  const amount = BigInt(value.amount);
  if (amount > amountMax || amount < amountMin) return 'amount must fit into 64 bits';
  return { source: value.source, target: value.target, amount };
}

function isAccount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= accountMax;
}

/**
 * Why Convex gave the mutation up. What it refused before running it, or did not commit because others had changed
 * what it read, is not applied; of anything else that is not known.
 */
function failure(message: string): Response {
  if (/TooManyConcurrentRequests|Too many concurrent/i.test(message))
    return fault('overloaded', false, message);
  if (/OptimisticConcurrencyControlFailure|changed while this mutation was being run/i.test(message)) {
    return fault('serialization-failure', false, message);
  }
  return fault('server-error', true, message);
}

const statusByCode = {
  'invalid-request': 400,
  'serialization-failure': 409,
  'server-error': 500,
  overloaded: 503,
} as const;

function fault(code: keyof typeof statusByCode, inDoubt: boolean, message: string): Response {
  const outcome = { kind: 'fault', code, inDoubt, message: message.slice(0, 200), retries: 0 };
  return jsonReply(statusByCode[code], JSON.stringify(outcome));
}
