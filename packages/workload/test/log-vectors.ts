import type { OperationOutcome, Reply, Row, Values } from '@fair-bench/contract';
import isolation from '@fair-bench/workloads/isolation';
import objectsCore from '@fair-bench/workloads/objects';
import cart from '@fair-bench/workloads/cart';
import queue from '@fair-bench/workloads/queue';
import {
  createSeededModel,
  createSlots,
  createStream,
  defaultParameters,
  drawChanged,
  wholeSpan,
  type Model,
  OutcomeLog,
  resolveWorkload,
  rowsChanged as changedRows,
  valueToJson,
  type WorkloadDescription,
} from '../src/index.ts';
import { everyEffect } from './replay/simulation.ts';
import { objects, pointRead } from './paper.ts';

const operations = 60;
const session = 2;
const sessions = 3;

/** Operations of one session with their outcomes, and the bytes of the session's log. */
export function logVectors(): unknown[] {
  return [
    logged(everyEffect, { items: 12, stock: 300 }),
    logged(objects, { objects: 5 }),
    logged(pointRead, { rows: 4 }),
    logged(isolation, { items: 5 }),
    logged(queue, { jobs: 3 }),
    logged(objectsCore, { objects: 3 }),
    logged(cart, { carts: 3, products: 6 }),
    logged(pointRead, { rows: 9 }, 3),
  ];
}

/** So many rows are changed by somebody else before the middle operation. */
function logged(
  description: WorkloadDescription,
  given: Readonly<Record<string, number>>,
  rowsChanged = 0,
): unknown {
  const parameters = { ...defaultParameters(description), ...given };
  const workload = resolveWorkload(description, parameters);
  const { model, store } = createSeededModel(workload);
  const stream = createStream(workload, { session, sessions });
  const slots = createSlots(workload);
  const changed =
    rowsChanged === 0 ? null : drawChanged(workload, wholeSpan(sessions), { count: rowsChanged, secret: 0 });
  const log = new OutcomeLog(workload, { sessions, ...(changed === null ? {} : { changed }) });
  const own = log.open(session);
  const outcomes = Array.from({ length: operations }, (_, sequence) => {
    const operation = stream.next(slots);
    const values = slots[operation] ?? [];
    own.drawn(operation, values);
    if (changed !== null && sequence === operations / 2) {
      for (const row of changedRows(workload, changed)) store.put(changed.table, row);
    }
    const honest = carriedOut(model, operation, values, sequence);
    const outcome = sequence % 3 === 2 ? altered(honest, Math.floor(sequence / 3)) : honest;
    own.settled(sequence, operation, values, outcome, 10 * sequence + 0.999, 10 * sequence + 4.001);
    return jsonOf(outcome);
  });
  return {
    description,
    parameters,
    session,
    sessions,
    ...(changed === null ? {} : { changed }),
    outcomes,
    log: partsOf(log),
  };
}

function carriedOut(model: Model, operation: number, values: Values, sequence: number): OperationOutcome {
  if (sequence % 13 === 12) {
    return { kind: 'fault', code: 'timeout', inDoubt: sequence % 2 === 0, message: '', retries: 0 };
  }
  const outcome = model.execute(operation, values);
  if (outcome.kind === 'declined') return { kind: 'declined', reason: outcome.reason, retries: 0 };
  if (outcome.kind === 'fault') {
    return { kind: 'fault', code: outcome.code, inDoubt: false, message: '', retries: 0 };
  }
  const returns = model.workload.operations[operation]?.description.returns;
  const rows = outcome.rows?.map((row) => row.map((value) => value ?? 7n));
  const reply: Reply | null =
    returns?.kind === 'fields'
      ? { kind: 'fields', fields: rows?.[0] ?? returns.fields.map(() => BigInt(sequence) << 33n) }
      : rows === undefined
        ? null
        : { kind: 'rows', rows };
  return { kind: 'applied', reply, retries: 0 };
}

/** A reply with one of five mistakes. */
function altered(outcome: OperationOutcome, how: number): OperationOutcome {
  if (outcome.kind !== 'applied' || outcome.reply?.kind !== 'rows') return outcome;
  const { rows } = outcome.reply;
  const ways = [
    () => rows.slice(1),
    () => rows.slice(0, -1),
    () => rows.toReversed(),
    () => rows.map(torn),
    () => rows.map(short),
    () => rows.concat(rows),
  ];
  return { ...outcome, reply: { kind: 'rows', rows: ways[how % ways.length]?.() ?? rows } };
}

/** Of every text and every byte string the name of its writer and the check alone. */
function short(row: Row): Row {
  return row.map((value) => {
    if (typeof value === 'string') return value.slice(0, 16) + value.slice(-8);
    return value instanceof Uint8Array ? Uint8Array.of(...value.slice(0, 8), ...value.slice(-4)) : value;
  });
}

/** Every text and every byte string with another end. */
function torn(row: Row): Row {
  return row.map((value) => {
    if (typeof value === 'string') return `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`;
    return value instanceof Uint8Array ? value.map((byte, at) => (at === 20 ? byte ^ 1 : byte)) : value;
  });
}

function jsonOf(outcome: OperationOutcome): unknown {
  if (outcome.kind === 'declined') return { declined: outcome.reason };
  if (outcome.kind === 'fault') return { fault: outcome.code, inDoubt: outcome.inDoubt };
  if (outcome.reply === null) return {};
  if (outcome.reply.kind === 'fields') return { fields: outcome.reply.fields.map(valueToJson) };
  return { rows: outcome.reply.rows.map((row) => row.map(valueToJson)) };
}

/** Header without lengths, mistakes, exceptions, times up to the last, reads, scans, fields: words. */
function partsOf(log: OutcomeLog): number[][] {
  const bytes = Buffer.concat(log.encode());
  const words = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32LE(4 * at));
  const header = words.slice(0, 13);
  const parts = [header.slice(0, 7)];
  let from = 13;
  for (const length of [Math.ceil((header[6] ?? 0) / 4), ...header.slice(7, 12)]) {
    parts.push(words.slice(from, from + length));
    from += length;
  }
  const times = parts[3] ?? [];
  times.length = times.findLastIndex((word) => word !== 0) + 1;
  return parts;
}
