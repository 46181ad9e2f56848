import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import transfer from '@fair-bench/workloads/transfer';
import { createSlots, createStream, resolveWorkload, type Slots } from '../src/index.ts';

const stream = { parameters: z.record(z.string(), z.unknown()), session: z.int() };
const vectors = z
  .object({
    operations: z.array(z.object({ ...stream, operations: z.array(z.array(z.number())) })),
    digests: z.array(z.object({ ...stream, operations: z.int(), sha256: z.string() })),
  })
  .parse(JSON.parse(readFileSync(new URL('./fixtures/golden-vectors.json', import.meta.url), 'utf8')));

test.each(vectors.operations)('the first operations of %j', ({ parameters, session, operations }) => {
  const drawn = operations.map(() => 0);
  const { next, slots } = open(parameters, session);
  expect(
    drawn.map(() => {
      next();
      return (slots[0] ?? []).map(Number);
    }),
  ).toEqual(operations);
});

test.each(vectors.digests)('the digest of %j', ({ parameters, session, operations, sha256 }) => {
  const { next, slots } = open(parameters, session);
  const bytes = Buffer.alloc(operations * 16);
  for (let offset = 0; offset < bytes.length; offset += 16) {
    next();
    const [source, target, amount] = slots[0] ?? [];
    bytes.writeUInt32LE(Number(source), offset);
    bytes.writeUInt32LE(Number(target), offset + 4);
    bytes.writeBigInt64LE(typeof amount === 'bigint' ? amount : -1n, offset + 8);
  }
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
});

function open(parameters: unknown, session: number): { next: () => number; slots: Slots } {
  const workload = resolveWorkload(transfer, parameters);
  const slots = createSlots(workload);
  const opened = createStream(workload, { session, sessions: 1 });
  return { next: () => opened.next(slots), slots };
}
