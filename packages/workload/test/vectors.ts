import { createHash } from 'node:crypto';
import type { ListValue, Value } from '@fair-bench/contract';
import cart from '@fair-bench/workloads/cart';
import counter from '@fair-bench/workloads/counter';
import isolation from '@fair-bench/workloads/isolation';
import objectsCore from '@fair-bench/workloads/objects';
import queue from '@fair-bench/workloads/queue';
import tpcc from '@fair-bench/workloads/tpcc';
import transfer from '@fair-bench/workloads/transfer';
import ycsbCore from '@fair-bench/workloads/ycsb';
import { z } from 'zod';
import { ContentPool } from '../src/draw/content.ts';
import { Permutation } from '../src/draw/permutation.ts';
import { foldItem, mix32, scale } from '../src/draw/scale.ts';
import { purposes, seedWords } from '../src/draw/splitmix64.ts';
import {
  createSeededRows,
  createSlots,
  createStream,
  defaultParameters,
  parseDescription,
  plannedJson,
  resolveWorkload,
  valueToJson,
  type WorkloadDescription,
} from '../src/index.ts';
import { logVectors } from './log-vectors.ts';
import { feed, objects, order, pointRead, ycsb } from './paper.ts';

export const vectorsFolder = new URL('../vectors/', import.meta.url);

interface StreamCase {
  readonly session: number;
  readonly sessions: number;
  readonly parameters: Readonly<Record<string, unknown>>;
}

const place = { session: 0, sessions: 1 };
const on = (parameters: Readonly<Record<string, unknown>>, where = place): StreamCase => ({
  ...where,
  parameters,
});

/**
 * Every file of golden vectors, by its name, as JSON: another implementation must reproduce them. `planned.json` has, by
 * file, what a trial plan carries in each of its cases.
 */
export function buildVectors(): Record<string, unknown> {
  const files = buildCases();
  const planned = Object.entries(files).map(([file, cases]) => [file.replace('.json', ''), plannedOf(cases)]);
  return { ...files, 'planned.json': Object.fromEntries(planned) };
}

const caseSchema = z.object({ parameters: z.unknown() });
const streamsSchema = z.object({ description: z.unknown(), streams: z.array(caseSchema) });
const logsSchema = z.array(caseSchema.extend({ description: z.unknown() }));

/** As text: one line each. */
function plannedOf(cases: unknown): string[] {
  const streams = streamsSchema.safeParse(cases).data;
  const all =
    streams === undefined
      ? (logsSchema.safeParse(cases).data ?? [])
      : streams.streams.map(({ parameters }) => ({ description: streams.description, parameters }));
  return all.map(({ description, parameters }) =>
    JSON.stringify(plannedJson(resolveWorkload(parseDescription(description, 'vectors'), parameters))),
  );
}

function buildCases(): Record<string, unknown> {
  const keys = ['zipf', 'ycsb', 'uniform', 'latest'];
  const mixes = ['a', 'd', 'e', 'f'];
  return {
    'parts.json': parts(),
    'transfer.json': workloadVectors(transfer, [
      ...[0, 0.5, 1, 1.5, 32].map((alpha) => on({ alpha })),
      on({ accounts: 2 ** 32, amountMax: 2 ** 21 }, { session: 3, sessions: 8 }),
      on({ accounts: 2, scramble: false, alpha: 8 }),
      on(
        { seed: '18446744073709551615', accounts: 10_000_000, amountMax: 1 },
        { session: 99_999, sessions: 100_000 },
      ),
    ]),
    'counter.json': workloadVectors(counter, [
      on({}),
      on({ counters: 1, senders: 2 ** 32, channels: 2 ** 22 }, { session: 19, sessions: 20 }),
      on({ increments: 0 }),
    ]),
    'ycsb.json': workloadVectors(
      ycsb,
      keys.flatMap((each) => mixes.map((mix) => on({ keys: each, mix }, { session: 2, sessions: 5 }))),
    ),
    'order.json': workloadVectors(order, [
      on({}),
      on({ alpha: 32, items: 5 }, { session: 1, sessions: 2 }),
      on({ alpha: 0, linesMax: 1 }),
    ]),
    'objects.json': workloadVectors(objects, [on({}, { session: 4, sessions: 9 })]),
    'point-read.json': workloadVectors(pointRead, [on({ rows: 2 ** 32 }), on({ rows: 1 })]),
    'feed.json': workloadVectors(feed, [on({})]),
    'isolation.json': workloadVectors(isolation, [
      on({}),
      on({ items: 2, reads: 0 }, { session: 6, sessions: 7 }),
    ]),
    'ycsb-core.json': workloadVectors(ycsbCore, [
      ...['a', 'b', 'c', 'd', 'e', 'f', 'load'].map((mix) => on({ mix }, { session: 1, sessions: 3 })),
      on({ keys: 'ycsb-zipf', records: 50_000 }),
    ]),
    'objects-core.json': workloadVectors(objectsCore, [
      on({}),
      on({ objects: 1, mix: 'write' }, { session: 5, sessions: 6 }),
      ...[1, 23, 200].map((payloadSize) => on({ payloadSize })),
      on({ mix: 'read-back' }, { session: 1, sessions: 2 }),
    ]),
    'queue.json': workloadVectors(queue, [on({}), on({ jobs: 0, claims: 10 }, { session: 5, sessions: 6 })]),
    'cart.json': workloadVectors(cart, [
      on({}),
      on({ carts: 3, products: 2 ** 31, views: 10 }, { session: 5, sessions: 6 }),
    ]),
    'tpcc.json': workloadVectors(withoutFunctions(tpcc), [
      on({}),
      on({ warehouses: 4 }, { session: 6, sessions: 50 }),
      on({ warehouses: 2, districts: 1, customers: 5, items: 20 }, { session: 1, sessions: 2 }),
    ]),
    'outcome-log.json': logVectors(),
  };
}

/** What another implementation needs of a workload in code: its functions stay in the process that imported its file. */
function withoutFunctions(description: WorkloadDescription): WorkloadDescription {
  const without = { ...description };
  delete without.code;
  return without;
}

const firstCount = 12;
const digestCount = 5000;

function workloadVectors(description: WorkloadDescription, cases: readonly StreamCase[]) {
  return {
    description,
    streams: cases.map(({ parameters, session, sessions }) => {
      const stated = { ...defaultParameters(description), ...parameters };
      return { parameters: stated, session, sessions, ...drawn(description, stated, { session, sessions }) };
    }),
    seeded: seeded(description),
  };
}

function drawn(description: WorkloadDescription, parameters: unknown, where: typeof place) {
  const workload = resolveWorkload(description, parameters);
  const stream = createStream(workload, where);
  const slots = createSlots(workload);
  const hash = createHash('sha256');
  const first: unknown[] = [];
  for (let count = 0; count < digestCount; count += 1) {
    const operation = stream.next(slots);
    const values = slots[operation] ?? [];
    if (count < firstCount) first.push([operation, ...values.map(valueToJson)]);
    const types = workload.operations[operation]?.arguments ?? [];
    hash.update(word(operation));
    for (const [index, value] of values.entries()) {
      const argument = types[index];
      if (!isList(value)) {
        hash.update(bytesOf(value, argument?.kind === 'scalar' ? argument.type.kind : ''));
        continue;
      }
      hash.update(word(value.length));
      for (let record = 0; record < value.length; record += 1) {
        for (const [field, column] of value.fields.entries()) {
          const type = argument?.kind === 'list' ? argument.fields[field]?.type.kind : '';
          hash.update(bytesOf(column[record] ?? 0, type ?? ''));
        }
      }
    }
  }
  return { first, count: digestCount, sha256: hash.digest('hex') };
}

function seeded(description: WorkloadDescription) {
  const workload = resolveWorkload(description, defaultParameters(description));
  return (
    workload.tables
      // What functions give is theirs alone.
      .filter(({ rows, columns }) => rows > 0 && columns.every(({ seed }) => seed.kind !== 'code'))
      .map((table) => {
        const rowOf = createSeededRows(workload, table);
        const numbers = [0, 1, 2, table.rows - 1].filter((number) => number < table.rows);
        return {
          table: table.name,
          rows: numbers.map((number) => [number, ...rowOf(number).map(valueToJson)]),
        };
      })
  );
}

function parts() {
  const pool = new ContentPool(42n);
  const words = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
  const counts = [1, 2, 3, 1000, 2 ** 21, 2 ** 21 + 1, 2 ** 31 + 1, 2 ** 32];
  const items = [0, 1, 2, 255, 256, 65_537, 9_999_999_999, 2 ** 53 - 1];
  const contents = [
    { length: 1, high: 0, low: 0, word: 0xffff_ffff },
    { length: 12, high: 5, low: 6, word: 77 },
    { length: 23, high: 5, low: 6, word: 77 },
    { length: 24, high: 0x8000_0101, low: 9, word: 0xffff_ffff },
    { length: 100, high: 3 + 2 ** 20, low: 0xffff_ffff, word: 0x8000_0000 },
  ];
  return {
    seedWords: [0, 1, 5].flatMap((table) => [
      {
        seed: '42',
        purpose: `${purposes.permutation(table)}`,
        words: [...seedWords(42n, 0, purposes.permutation(table), 8)],
      },
      {
        seed: '42',
        purpose: `${purposes.seededColumn(table, 3)}`,
        words: [...seedWords(42n, 0, purposes.seededColumn(table, 3), 2)],
      },
    ]),
    mix32: words.map((each) => [each, mix32(each) >>> 0]),
    scale: words.flatMap((each) => counts.map((count) => [each, count, scale(each, count)])),
    fold: items.flatMap((item) => counts.map((count) => [item, count, foldItem(item, count)])),
    permutation: [1, 2, 5, 1000, 2 ** 32].map((size) => {
      const permutation = new Permutation(seedWords(42n, 0, purposes.permutation(1), 8), size);
      const inputs = [0, 1, 4, 999, size - 1].filter((input) => input < size);
      return {
        seed: '42',
        table: 1,
        size,
        inputs,
        outputs: inputs.map((input) => permutation.apply(input) >>> 0),
      };
    }),
    content: {
      seed: '42',
      texts: contents.map((each) => ({
        ...each,
        text: pool.text(each.length, each.high, each.low, each.word),
      })),
      bytes: contents.map((each) => ({
        ...each,
        bytes: valueToJson(pool.writeBytes(new Uint8Array(each.length), each.high, each.low, each.word)),
      })),
    },
  };
}

function isList(value: Value): value is ListValue {
  return typeof value === 'object' && !(value instanceof Uint8Array);
}

/** A `key` as u32, an `int64` as i64, a `bool` as one byte, text and bytes after their length as u32; little-endian. */
function bytesOf(value: Value, type: string): Uint8Array {
  if (type === 'int64' && typeof value === 'bigint') return new Uint8Array(BigInt64Array.of(value).buffer);
  if (type === 'key') return word(Number(value));
  if (type === 'bool') return Uint8Array.of(value === true ? 1 : 0);
  const content = Buffer.from(typeof value === 'string' || value instanceof Uint8Array ? value : '');
  return Buffer.concat([word(content.length), content]);
}

function word(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer);
}
