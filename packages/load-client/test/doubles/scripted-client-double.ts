import {
  type DataPlane,
  type OperationOutcome,
  type Values,
  defineClient,
  inDoubt,
  refused,
} from '@fair-bench/contract';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ordinalOf } from './numbered-workload.ts';

/**
 * Sessions in this process that behave as no real target does on demand; the endpoint's options script them. `answer`
 * applies to operations from `from` on (or all) of every session.
 */
const optionsSchema = z.strictObject({
  behaviour: z.enum([
    'answers',
    'never-replies',
    'throws',
    'loses-connection',
    'declines-every-third',
    'stalls',
    'refuses-to-connect',
    'hangs-connecting',
    'answers-at-once',
    'invents-an-outcome',
  ]),
  delayMs: z.number().default(0),
  /** Every `every`-th operation of a session succeeds; the others get the answer. */
  every: z.int().min(1).default(1),
  retries: z.int().default(0),
  /** Without it a session cannot send batches. */
  batches: z.boolean().default(true),
  /** How long closing a session keeps its thread busy. */
  closeMs: z.number().default(0),
});
type Options = z.infer<typeof optionsSchema>;

const batches: number[] = [];

/** The double's observations, for tests in the same process. */
export const seen = {
  executed: 0,
  outstanding: 0,
  outstandingPeak: 0,
  closed: 0,
  ordinals: new Map<number, number[]>(),
  /** How many operations each batch had. */
  batches,
};

export function forget(): void {
  seen.executed = 0;
  seen.outstanding = 0;
  seen.outstandingPeak = 0;
  seen.closed = 0;
  seen.ordinals.clear();
  seen.batches.length = 0;
}

export default defineClient({
  async connect(endpoint, context) {
    const options = optionsSchema.parse(endpoint.options);
    if (options.behaviour === 'refuses-to-connect') throw new Error('connection refused by the double');
    if (options.behaviour === 'hangs-connecting') await new Promise(() => {});
    const ordinals: number[] = [];
    seen.ordinals.set(context.index, ordinals);
    const execute = async (_operation: number, values: Values): Promise<OperationOutcome> => {
      const ordinal = ordinalOf(values);
      ordinals.push(ordinal);
      seen.executed += 1;
      seen.outstanding += 1;
      seen.outstandingPeak = Math.max(seen.outstandingPeak, seen.outstanding);
      try {
        return await answer(options, ordinal);
      } finally {
        seen.outstanding -= 1;
      }
    };
    const executeBatch: DataPlane['executeBatch'] = async (operations) => {
      seen.batches.push(operations.length);
      return await Promise.all(operations.map(async ({ operation, values }) => execute(operation, values)));
    };
    return {
      execute,
      ...(options.batches ? { executeBatch } : {}),
      async close(): Promise<void> {
        seen.closed += 1;
        for (const untilMs = performance.now() + options.closeMs; performance.now() < untilMs;);
      },
    };
  },
});

const stallEpochMs = performance.now();

async function answer(options: Options, ordinal: number): Promise<OperationOutcome> {
  const { behaviour, delayMs, every, retries } = options;
  const answered: OperationOutcome = { kind: 'applied', reply: null, retries };
  if (behaviour === 'answers-at-once') return answered;
  if (ordinal % every !== every - 1) {
    await sleep(1);
    return answered;
  }
  if (behaviour === 'never-replies') return new Promise(() => {});
  if (behaviour === 'throws') throw new Error('thrown by the double');
  if (behaviour === 'loses-connection') return inDoubt('connection-lost', 'cut by the double');
  if (behaviour === 'invents-an-outcome') return refused(JSON.parse('"no-such-code"'), '');
  await sleep(behaviour === 'stalls' ? stallMs() : delayMs);
  if (behaviour === 'declines-every-third' && ordinal % 3 === 2) {
    return { kind: 'declined', reason: 'not-there', retries };
  }
  return answered;
}

/** Between 500 and 700 ms of every second nothing is answered. */
function stallMs(): number {
  const phaseMs = (performance.now() - stallEpochMs) % 1000;
  return phaseMs >= 500 && phaseMs < 700 ? 700 - phaseMs : 1;
}
