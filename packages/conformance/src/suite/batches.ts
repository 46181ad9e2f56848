import { expect, test } from 'vitest';
import {
  inDoubt,
  type BatchedOperation,
  type DataPlane,
  type OperationOutcome,
  type Row,
} from '@fair-bench/contract';
import { createSeededModel, drawnCases, type Workload } from '@fair-bench/workload';
import { unexplained, writerOf } from './cases.ts';
import type { Fixture, RunningTarget } from './fixture.ts';
import { GivenByServer } from './given-by-server.ts';
import { trialOn } from './life.ts';

const drawn = 200;
/** Beside whole batches a last one that is shorter. */
const batchSize = 16;
const missing = inDoubt('internal', 'a batch with fewer outcomes than operations');

/** Tests of a route whose manifest says that a load client can send batches for it. */
export function testBatches(fixture: Fixture): void {
  test('batches have the outcomes and leave the rows of their operations one after the other', async ({
    skip,
  }) => {
    const target = fixture.soundTarget(skip);
    const workload = await target.seed();
    const operations = [...operationsOf(workload)];
    const [alone, rowsAlone] = await carriedOut(target, operations, async (session) => {
      const outcomes: OperationOutcome[] = [];
      for (const { operation, values } of operations) outcomes.push(await session.execute(operation, values));
      return outcomes;
    });
    await target.seed();
    const [together, rowsTogether] = await carriedOut(target, operations, async (session) => {
      const outcomes: OperationOutcome[] = [];
      for (let from = 0; from < operations.length; from += batchSize) {
        outcomes.push(...(await executeBatch(target, session, operations.slice(from, from + batchSize))));
      }
      return outcomes;
    });
    const given = new GivenByServer(workload);
    const comparable = (outcomes: readonly OperationOutcome[]): readonly unknown[] =>
      operations.map((one, place) => given.leftOutOf(one, outcomes[place] ?? missing));
    expect(comparable(together)).toEqual(comparable(alone));
    const ofTables = (all: readonly (readonly Row[])[]): readonly unknown[] =>
      all.map((rows, table) => given.leftOutOfRows(table, rows));
    expect(ofTables(rowsTogether)).toEqual(ofTables(rowsAlone));
    expect(alone.some(({ kind }) => kind === 'applied')).toBe(true);
  });

  test('a declined operation undoes none of its batch', async ({ skip }) => {
    const target = fixture.soundTarget(skip);
    const workload = await target.seed();
    const [first, second] = writerOf(workload).applied(2);
    if (first === undefined || second === undefined) throw new Error('nothing is applied');
    const declined =
      declinedBetween(workload, first, second) ?? skip('no operation of the workload is declined');
    const batch = [first, declined, second];
    const outcomes = await target.withSession(workload, (session) => executeBatch(target, session, batch));
    const sent = batch.flatMap(({ operation, values }, place) => {
      const outcome = outcomes[place];
      return outcome === undefined ? [] : [{ operation, values, outcome }];
    });
    expect(outcomes.map(({ kind }) => kind)).toEqual(['applied', 'declined', 'applied']);
    expect(unexplained(workload, sent, await target.settledRows(workload)), target.name).toEqual([]);
  });

  // The native client's are tried by itself.
  if (!fixture.batch.includes('node')) return;
  test('a short trial in batches passes the audit, and counts each operation', async ({ skip }) => {
    const record = await trialOn(fixture.soundTarget(skip), {
      // Batches of several sessions could deadlock on few rows, and a trial is short.
      sessions: 1,
      batch: batchSize,
    });
    expect(record.status === 'ok' ? 'holds' : record.reason).toBe('holds');
    expect(record.audit).toMatchObject({ status: 'passed', mismatches: 0 });
    expect(record.status === 'ok' ? record.result.outstandingPeak % batchSize : 1).toBe(0);
  });
}

/** A drawn operation that is declined after the first, and lets the second be applied. */
function declinedBetween(
  workload: Workload,
  first: BatchedOperation,
  second: BatchedOperation,
): BatchedOperation | null {
  const { model, store } = createSeededModel(workload);
  for (const { operation, values, expected } of drawnCases(model, store, 2_000)) {
    if (expected.kind !== 'declined') continue;
    const fresh = createSeededModel(workload).model;
    const kinds = [first, { operation, values }, second].map(
      (one) => fresh.execute(one.operation, one.values).kind,
    );
    if (kinds.join() === 'applied,declined,applied') return { operation, values };
  }
  return null;
}

/** As a session draws them: some are declined where amounts run out. */
function* operationsOf(workload: Workload): Iterable<BatchedOperation> {
  const { model, store } = createSeededModel(workload);
  for (const { operation, values } of drawnCases(model, store, drawn)) yield { operation, values };
}

async function carriedOut(
  target: RunningTarget,
  operations: readonly BatchedOperation[],
  run: (session: DataPlane) => Promise<readonly OperationOutcome[]>,
): Promise<readonly [readonly OperationOutcome[], readonly (readonly Row[])[]]> {
  const workload = await target.seed();
  const outcomes = await target.withSession(workload, run);
  expect(outcomes).toHaveLength(operations.length);
  return [outcomes, await target.settledRows(workload)];
}

async function executeBatch(
  { name }: RunningTarget,
  session: DataPlane,
  operations: readonly BatchedOperation[],
): Promise<readonly OperationOutcome[]> {
  const outcomes = await session.executeBatch?.(operations);
  if (outcomes === undefined) {
    throw new Error(
      `${name}: its sessions have no executeBatch; write it, or take the client out of the manifest's batch`,
    );
  }
  return outcomes;
}
