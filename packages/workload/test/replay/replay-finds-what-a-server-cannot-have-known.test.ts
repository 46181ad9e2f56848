import type { OperationOutcome } from '@fair-bench/contract';
import objects from '@fair-bench/workloads/objects';
import { describe, expect, test } from 'vitest';
import { replayOutcomes } from '../../src/index.ts';
import {
  type Bench,
  type Call,
  change,
  examplesOf,
  reasonOf,
  run,
  type Target,
  trial,
  withRows,
} from './simulation.ts';

const setting = { description: objects, parameters: { objects: 20, moments: 6 } };

/** Gives each version an id, and a time by its own clock. */
class Server {
  readonly #bench: Bench;
  clock = 1_000_000n;
  id = 0n;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  execute(call: Call): OperationOutcome {
    const outcome = this.#bench.honest(call);
    this.clock += 3n;
    if (outcome.kind !== 'applied' || outcome.reply?.kind !== 'fields') return outcome;
    this.id += 1n;
    const [code = 0, moment = 0] = call.operation === 'write' ? call.values : call.values.toSpliced(1, 1);
    change(this.#bench, 0, [Number(code), Number(moment)], { 2: this.id, 3: this.clock });
    return { ...outcome, reply: { kind: 'fields', fields: [this.id, this.clock] } };
  }
}

type Lie = (call: Call, server: Server, bench: Bench) => OperationOutcome;
const lying =
  (lie: Lie) =>
  (bench: Bench): Target => {
    const server = new Server(bench);
    return { execute: (call) => lie(call, server, bench) };
  };

describe('what a server knew', () => {
  test('passes where it is the truth', async () => {
    const found = await trial(
      lying((call, server) => server.execute(call)),
      setting,
    );
    expect(found).toMatchObject({ status: 'passed', mismatches: 0 });
    const [asserted] = found.asserted.filter(({ operation }) => operation === 'as_known_at');
    expect(asserted?.assertions.join('; ')).toMatch(/none that was recorded later/);
  });

  test('with an earlier time answered by a later correction', async () => {
    const corrected: Lie = (call, server, bench) =>
      call.operation === 'as_known_at'
        ? bench.honest({ ...call, values: call.values.with(1, 2n ** 62n) })
        : server.execute(call);
    expect(await reasonOf(trial(lying(corrected), setting))).toMatch(
      /^\d+ rows returned as known at a time at which they were not yet recorded\n.*version.recorded of .* is \d+, as known at \d+, read by operation/,
    );
  });

  test('with a time that says it was recorded before', async () => {
    const hidden: Lie = (call, server, bench) => {
      if (call.operation !== 'as_known_at') return server.execute(call);
      const now = bench.honest({ ...call, values: call.values.with(1, 2n ** 62n) });
      return withRows(now, (rows) => rows.map((row) => row.with(3, 0n)));
    };
    expect(await reasonOf(trial(lying(hidden), setting))).toMatch(
      /^\d+ rows returned as known .* not yet recorded/,
    );
  });

  test('with a version left out that was known then', async () => {
    const forgets: Lie = (call, server, bench) => {
      const outcome = server.execute(call);
      if (call.operation !== 'as_known_at') return outcome;
      const [code = 0, valid = 0, ...rest] = bench.store.get(0, [Number(call.values[0]), 0]) ?? [];
      const first = [code ?? 0, valid ?? 0, ...rest.map((value) => value ?? 0n)];
      return withRows(outcome, (rows) => (rows.length === 0 ? rows : [first]));
    };
    expect(await reasonOf(trial(lying(forgets), setting))).toMatch(
      /^\d+ scans that left out an existing row\n/,
    );
  });

  test('with an argument that no reply had before', async () => {
    const { workload, store, logs } = await run(
      lying((call, server) => server.execute(call)),
      setting,
    );
    const fields = logs[0]?.fields ?? new Uint32Array();
    // Operations with one such argument have two words, writes four.
    let at = 0;
    while (at < fields.length && fields[at + 1] !== 2) at += 2 + (fields[at + 1] ?? 0);
    fields.set([77, 7], at + 2);
    const found = await replayOutcomes({
      workload,
      logs,
      scan: async function* (number) {
        yield await Promise.resolve(store.rows(number).map((row) => row.map((value) => value ?? 0n)));
      },
      signal: new AbortController().signal,
    });
    expect(examplesOf(found)).toMatch(
      /1 arguments that no earlier reply of their session had.*\n.*330712481799, by operation \d+ of session 0/s,
    );
  });

  test('with a clock that goes back', async () => {
    const back: Lie = (call, server) => {
      if (call.operation === 'write' && call.sequence === 50) server.clock -= 600n;
      return server.execute(call);
    };
    expect(await reasonOf(trial(lying(back), setting))).toMatch(
      /times of the server that are before an earlier one/,
    );
  });

  test('with one id for two versions', async () => {
    const twice: Lie = (call, server) => {
      if (call.operation === 'write' && call.sequence === 50) server.id -= 1n;
      return server.execute(call);
    };
    expect(await reasonOf(trial(lying(twice), setting))).toMatch(
      /^\d+ ids that the server gave to two rows\n.*version.id of the row inserted by operation/,
    );
  });

  test('with the content of another version under an id', async () => {
    const other: Lie = (call, server, bench) => {
      if (call.operation !== 'by_id') return server.execute(call);
      const [row] = bench.store.rows(0).filter((each) => each[2] !== call.values[0] && each[2] !== -1n);
      return withRows(server.execute(call), (rows) => rows.map((own) => own.with(4, row?.[4] ?? '')));
    };
    expect(await reasonOf(trial(lying(other), setting))).toMatch(
      /reads of a row with the content of another/,
    );
  });

  test('with no row under an id that it gave', async () => {
    const none: Lie = (call, server) =>
      call.operation === 'by_id' ? withRows(server.execute(call), () => []) : server.execute(call);
    expect(await reasonOf(trial(lying(none), setting))).toMatch(/stale|impossible|no order/);
  });

  test('with a row under another id', async () => {
    const wrong: Lie = (call, server) =>
      call.operation === 'by_id'
        ? withRows(server.execute(call), (rows) => rows.map((row) => row.with(2, 77n)))
        : server.execute(call);
    expect(await reasonOf(trial(lying(wrong), setting))).toMatch(
      /by_id: requested version with the id \d+, got version/,
    );
  });
});
