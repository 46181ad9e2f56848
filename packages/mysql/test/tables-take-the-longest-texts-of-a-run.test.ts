import { describe, expect, test } from 'vitest';
import { suiteTarget, workloadNamed } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import { defaultParameters, resolveWorkload, seededPages, shapeOf } from '@fair-bench/workload';
import type { LoneTarget } from '@fair-bench/supervisor';
import { members } from './support/members.ts';

const objects = await workloadNamed('objects');

/** Loads objects with payloads of this size. Returns the different lengths of the payloads that are read back. */
async function loadedIn(
  { deployment: { tables } }: LoneTarget,
  payloadSize: number,
  count: number,
): Promise<readonly number[]> {
  const { description } = objects;
  const parameters = { ...defaultParameters(description), payloadSize, objects: count };
  const workload = resolveWorkload(description, parameters);
  const pages = workload.tables.flatMap((table) => [...seededPages(workload, table)]);
  const signal = AbortSignal.timeout(60_000);
  await tables.create(shapeOf(workload).tables, signal);
  await tables.load(0, inTurn(pages), signal);
  const rows = (await Array.fromAsync(tables.scan(0, signal))).flat();
  expect(rows).toHaveLength(count);
  return [...new Set(rows.map((row) => String(row.at(-1)).length))];
}

async function* inTurn<T>(all: readonly T[]): AsyncIterable<T> {
  for (const one of all) yield await Promise.resolve(one);
}

describe.for(members)('$name', async (member) => {
  const { lacking, target } = await suiteTarget(routeOf(member.connector, 'driver'), objects);

  test('the longest payload is loaded after shorter ones, which then fit into its table', async ({
    skip,
  }) => {
    if (lacking !== null) skip(lacking);
    const loaded = async (size: number, count: number) => await loadedIn(target(), size, count);
    expect(await loaded(100, 10)).toEqual([100]);
    // More than one statement may have.
    expect(await loaded(16_384, 1_200)).toEqual([16_384]);
    expect(await loaded(1, 10)).toEqual([1]);
    expect(await loaded(16_384, 10)).toEqual([16_384]);
  });
});
