import type { OperationOutcome, Row, ScalarValue } from '@fair-bench/contract';
import {
  add,
  replayOutcomes,
  createSeededModel,
  defaultParameters,
  defineWorkload,
  fresh,
  insert,
  int64,
  integer,
  key,
  less,
  missing,
  OutcomeLog,
  operation,
  parseOutcomeLog,
  resolveWorkload,
  row,
  scan,
  set,
  table,
  text,
  uniform,
  writeOutcomeLog,
  zipf,
  type MemoryStore,
  Model,
  type ReplayResult,
  type SessionOutcomes,
  type SessionSpan,
  wholeSpan,
  type Workload,
  type WorkloadDescription,
} from '../../src/index.ts';
import { type Call, Schedule } from './schedule.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Every effect and every reply on two tables. */
export const everyEffect = defineWorkload({
  name: 'every-effect',
  parameters: {
    items: { type: 'integer', default: 40, min: 2, max: 2 ** 32, about: 'items' },
    alpha: { type: 'number', default: 0.8, min: 0, max: 32, about: 'skew' },
    stock: { type: 'integer', default: 1000, min: 0, max: 2 ** 31, about: 'stock of each item' },
  },
  tables: {
    item: table({
      rows: 'items',
      key: 'id',
      columns: { label: text(32), origin: int64(uniform(1, 9)), stock: int64('stock'), name: text(40) },
    }),
    event: table({ rows: 0, key: 'id', columns: { id: int64, item: key, note: text(30) } }),
  },
  operations: {
    rename: {
      weight: 20,
      arguments: { item: key('item', zipf('alpha')), label: text(32) },
      rows: { i: row('item', 'item') },
      effects: [set('i.label', 'label')],
    },
    take: {
      weight: 20,
      arguments: {
        from: key('item', zipf('alpha')),
        to: key('item', zipf('alpha'), { not: 'from' }),
        amount: int64(uniform(1, 500)),
      },
      rows: { from_row: row('item', 'from'), to_row: row('item', 'to') },
      declines: [
        ['unknown', missing('from_row')],
        ['too-few', less('from_row.stock', 'amount')],
      ],
      effects: [add('from_row.stock', '-amount'), add('to_row.stock', 'amount')],
    },
    record: {
      weight: 20,
      arguments: { id: operation(), item: key('item', uniform()), note: text(30) },
      effects: [insert('event', { id: 'id', item: 'item', note: 'note' })],
    },
    create: {
      weight: 5,
      arguments: { item: key('item', fresh()), label: text(32), name: text(40) },
      effects: [insert('item', { id: 'item', label: 'label', origin: 5, stock: 0, name: 'name' })],
    },
    look: { weight: 25, arguments: { item: key('item', zipf('alpha')) }, returns: row('item', 'item') },
    list: {
      weight: 10,
      arguments: { from: key('item', uniform()), limit: integer(uniform(1, 60)) },
      returns: scan('item', { from: 'from', limit: 'limit' }),
    },
  },
});

export interface Target {
  /** Executes an operation at one moment between its sending and its settling. */
  execute(call: Call): OperationOutcome;
  /** Changes rows after the trial. */
  after?(): void;
  /** The target's false answer about its rows. */
  rows?(table: number, rows: Row[]): Row[];
}

/** The parts of a target: the model executes operations; `honest` gives the outcome of an honest connector. */
export interface Bench {
  readonly workload: Workload;
  readonly model: Model;
  readonly store: MemoryStore;
  honest(call: Call): OperationOutcome;
}

export type { Call } from './schedule.ts';

interface Setting {
  readonly description?: WorkloadDescription;
  readonly parameters?: Readonly<Record<string, number | string | boolean>>;
  readonly sessions?: number;
  readonly depth?: number;
  /** Operations per session. */
  readonly operations?: number;
  readonly limitBytes?: number;
  readonly inDoubtShareMax?: number;
  readonly unwritten?: ReadonlySet<number>;
  /** The sessions of a load that goes on from rows that another left; all of `sessions` otherwise. */
  readonly span?: SessionSpan;
  /** The rows that it begins with; seeded ones unless given. */
  readonly store?: MemoryStore;
}

/** An operation whose reply was lost: `applied` says whether it was executed. */
export const lost: OperationOutcome = {
  kind: 'fault',
  code: 'connection-lost',
  inDoubt: true,
  message: 'lost',
  retries: 0,
};

/**
 * A trial against a target in memory: sessions with a depth, whose operations are sent, executed and settled in a
 * random but reproducible order, one microsecond apart; then the replay of its log file against the target's rows.
 */
export async function trial(
  target: (bench: Bench) => Target,
  { inDoubtShareMax, unwritten = new Set(), ...setting }: Setting = {},
): Promise<ReplayResult> {
  const { workload, store, logs, liar } = await run(target, setting);
  const signal = new AbortController().signal;
  return replayOutcomes({
    workload,
    logs,
    scan: (number) => pages(store, number, liar),
    signal,
    unwritten,
    ...(inDoubtShareMax === undefined ? {} : { inDoubtShareMax }),
  });
}

export async function run(
  target: (bench: Bench) => Target,
  {
    description = everyEffect,
    parameters = {},
    sessions = 4,
    depth = 3,
    operations = 300,
    limitBytes,
    span = wholeSpan(sessions),
    store: left,
  }: Setting,
): Promise<{
  workload: Workload;
  store: MemoryStore;
  logs: SessionOutcomes[];
  file: Uint8Array;
  bytes: number;
  liar: Target;
}> {
  const workload = resolveWorkload(description, { ...defaultParameters(description), ...parameters });
  const { model, store } = left === undefined ? createSeededModel(workload) : goOn(workload, left);
  const bench: Bench = { workload, model, store, honest: (call) => outcomeOf(model, call) };
  const liar = target(bench);
  const log = new OutcomeLog(workload, {
    sessions: span.all,
    ...(limitBytes === undefined ? {} : { limitBytes }),
  });
  new Schedule(workload, log, { sessions: span, depth, operations }).run((call) => liar.execute(call));
  liar.after?.();
  const folder = await mkdtemp(join(tmpdir(), 'outcome-log-'));
  try {
    const { path, bytes } = await writeOutcomeLog(join(folder, 'log'), [log.encode()]);
    const file = await readFile(path);
    return { workload, store, logs: parseOutcomeLog(file, span), file, bytes, liar };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function goOn(workload: Workload, store: MemoryStore): { model: Model; store: MemoryStore } {
  return { model: new Model(workload, store), store };
}

/** The truth. */
export const truth = (bench: Bench): Target => ({ execute: (call) => bench.honest(call) });

/** Lies about every `every`-th operation of a name, from the tenth on; tells the truth about all others. */
export function lying(
  name: string,
  every: number,
  lie: (call: Call, bench: Bench) => OperationOutcome,
): (bench: Bench) => Target {
  return (bench) => {
    let seen = 0;
    return {
      execute(call) {
        if (call.operation !== name) return bench.honest(call);
        seen += 1;
        return seen > 9 && seen % every === 0 ? lie(call, bench) : bench.honest(call);
      },
    };
  };
}

export const acknowledged: OperationOutcome = { kind: 'applied', reply: null, retries: 0 };

export function examplesOf(finding: ReplayResult): string {
  return finding.status === 'failed' ? [finding.reason, ...finding.examples].join('\n') : '';
}

/** The reply's rows, changed. */
export function withRows(
  outcome: OperationOutcome,
  changed: (rows: readonly Row[]) => readonly Row[],
): OperationOutcome {
  if (outcome.kind !== 'applied' || outcome.reply?.kind !== 'rows') return outcome;
  return { ...outcome, reply: { kind: 'rows', rows: changed(outcome.reply.rows) } };
}

/** Why a trial is void, with examples; empty when it passed. */
export const reasonOf = async (finding: Promise<ReplayResult>): Promise<string> => examplesOf(await finding);

/** Replaces the columns of an existing row. */
export function change(
  { store }: Bench,
  number: number,
  keys: Row,
  changes: Record<number, ScalarValue>,
): void {
  const found = store.get(number, keys);
  if (found === null) throw new Error(`no row ${keys.join(' ')}`);
  store.put(
    number,
    found.map((value, place) => changes[place] ?? value),
  );
}

export function outcomeOf(model: Model, { number, values }: Call): OperationOutcome {
  const outcome = model.execute(number, values);
  if (outcome.kind === 'declined') return { kind: 'declined', reason: outcome.reason, retries: 0 };
  if (outcome.kind === 'fault') {
    return { kind: 'fault', code: 'server-error', inDoubt: false, message: outcome.message, retries: 0 };
  }
  const { returns } = model.workload.operations[number]?.description ?? {};
  if (returns?.kind === 'fields') {
    const [found] = outcome.rows ?? [];
    const fields = returns.fields.map(
      ({ type }, place) => found?.[place] ?? (type.kind === 'int64' ? 0n : 0),
    );
    return { kind: 'applied', reply: { kind: 'fields', fields }, retries: 0 };
  }
  const rows = outcome.rows?.map((each) => each.map((value) => value ?? 0));
  return { kind: 'applied', reply: rows === undefined ? null : { kind: 'rows', rows }, retries: 0 };
}

/** The final rows, as the target says them. */
export async function* pages(store: MemoryStore, number: number, liar: Target): AsyncIterable<Row[]> {
  // The server's own values are 0.
  const honestRows = store.rows(number).map((each) => each.map((value) => value ?? 0n));
  const rows = liar.rows?.(number, honestRows) ?? honestRows;
  for (let start = 0; start < rows.length; start += 37) {
    await Promise.resolve();
    yield rows.slice(start, start + 37);
  }
}
