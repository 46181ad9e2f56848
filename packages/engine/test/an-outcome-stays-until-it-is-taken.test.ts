import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DataPlane, OperationOutcome, Row } from '@fair-bench/contract';
import {
  defaultParameters,
  defineWorkload,
  fields,
  key,
  resolveWorkload,
  row,
  seededPages,
  shapeOf,
  table,
  text,
  uniform,
} from '@fair-bench/workload';
import { expect, test } from 'vitest';
import { engineClient } from '../src/client.ts';
import { storedTables } from '../src/executor.ts';
import { bufferedWrites } from '../src/index.ts';
import type { EngineSystem, Reads } from '../src/system.ts';

const description = defineWorkload({
  name: 'reads',
  about: 'Reads rows.',
  parameters: {},
  tables: { t: table({ rows: 8, key: 'id', columns: fields(1, text(20)) }) },
  operations: { read: { arguments: { id: key('t', uniform()) }, returns: row('t', 'id') } },
  axes: {},
});
const workload = resolveWorkload(description, defaultParameters(description));
const [seeded] = workload.tables;
const [stored] = storedTables(workload.tables);

/** As LMDB's package does: the bytes of a value are overwritten by the next reading. */
function reusesItsBuffer(rows: readonly Row[]): Reads {
  const buffer = Buffer.alloc(64);
  const values = new Map(
    rows.map((one) => [Buffer.from(stored?.keyOf(one) ?? []).toString('hex'), stored?.valueOf([...one])]),
  );
  return {
    get(wanted) {
      const value = values.get(Buffer.from(wanted).toString('hex'));
      if (value === undefined) return undefined;
      buffer.set(value);
      return buffer.subarray(0, value.length);
    },
    range: () => [],
  };
}

test('the row that a session waited for is its own, although another session reads right after it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'fair-bench-engine-'));
  const pages = seeded === undefined ? [] : [...seededPages(workload, seeded)];
  const reads = reusesItsBuffer(pages.flat());
  const system: EngineSystem = {
    name: 'double',
    title: 'Double that reuses its buffer',
    version: () => Promise.resolve('1'),
    open: () =>
      Promise.resolve({
        ...reads,
        transact: (act) => act(bufferedWrites(reads)),
        atOneMoment: (act) => act(reads),
        settings: () => ({}),
        close: () => undefined,
      }),
    isShared: false,
    durabilityOf: () => 'none',
    fairProfile: [],
  };
  const connect = async (index: number): Promise<DataPlane> =>
    await engineClient(system).connect(
      {
        url: pathToFileURL(folder.path).href,
        options: { description: JSON.parse(JSON.stringify(description)), durability: 'durable', cacheMb: 0 },
      },
      { index, depth: 1, signal: new AbortController().signal, workload: shapeOf(workload) },
    );
  const [one, other] = [await connect(0), await connect(1)];
  let waited = 0;
  for (const endMs = performance.now() + 500; performance.now() < endMs && waited < 20;) {
    const given = one.executeNow?.(0, [3]);
    if (!(given instanceof Promise)) continue;
    waited += 1;
    const after = other.execute(0, [5]);
    expect(firstValueOf(await given)).toEqual(pages.flat()[3]?.[1]);
    expect(firstValueOf(await after)).toEqual(pages.flat()[5]?.[1]);
  }
  expect(waited).toBeGreaterThan(3);
  await Promise.all([one.close(), other.close()]);
});

function firstValueOf(outcome: OperationOutcome): unknown {
  if (outcome.kind !== 'applied' || outcome.reply?.kind !== 'rows') return outcome;
  return outcome.reply.rows[0]?.[1];
}
