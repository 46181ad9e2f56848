import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Anomaly, anomalySchema, type Deployment, type Isolation } from '@fair-bench/contract';
import type { TrialRecord } from '@fair-bench/results';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { workloadNamed } from '../src/workloads.ts';
import { claimsIsolation, replacesFunctions } from './liars/lying-deployments.ts';
import { LiarBench, verdictOf } from './support/liar-bench.ts';

const driver = 'postgres-driver';
const drizzle = 'postgres-drizzle';
const readsOutside = fileURLToPath(new URL('support/reads-outside', import.meta.url));
/** Few rows, and a window for many of the latencies that waiting for them takes on a busy machine. */
const contended = { sessions: 8, depth: 1, windowMs: 1500, sizes: { rows: 4 } };

/** By what PostgreSQL's manual says of each level: the anomalies that may be seen, and one that is where rows are few. */
const levels: readonly { level: Isolation; permits: readonly Anomaly[]; shows: readonly Anomaly[] }[] = [
  {
    level: 'read-committed',
    permits: ['lost-update', 'G-single', 'G2-item', 'real-time'],
    shows: ['lost-update'],
  },
  { level: 'snapshot', permits: ['G2-item', 'real-time'], shows: ['G2-item'] },
  { level: 'serializable', permits: ['real-time'], shows: [] },
];

describe.each(levels)('a real PostgreSQL at $level', ({ level, permits, shows }) => {
  let bench: LiarBench;
  beforeAll(async () => {
    bench = await LiarBench.with({ isolation: level }, await workloadNamed('isolation'), driver);
  });
  afterAll(() => bench.close());

  test('passes, and shows what its manual permits, and nothing else', async () => {
    const record = await bench.withoutClient(driver, contended);
    expect(verdictOf(record)).toBe('ok');
    expect(record).toMatchObject({ factsAfter: { isolation: level }, audit: { status: 'passed' } });
    const seen = seenIn(record);
    expect(seen.filter((anomaly) => !permits.includes(anomaly))).toEqual([]);
    expect(seen).toEqual(expect.arrayContaining([...shows]));
  });

  if (level === 'serializable') return;
  test('is void for this alone where it says that it is serializable', async () => {
    const record = await bench.withoutClient(driver, {
      ...contended,
      controlPlane: (deployment: Deployment) => claimsIsolation(deployment, 'serializable'),
    });
    expect(verdictOf(record)).toMatch(/^void: serializable forbids what \d+ operations showed: .*G2-item/);
    expect(record).toMatchObject({ voidBy: ['isolation'], audit: { status: 'passed' } });
  });
});

describe('SmallBank', () => {
  // Few customers, and a check that is slow after it has read: what takes days to happen happens within a second.
  const skewing = {
    sessions: 8,
    windowMs: 1500,
    parameters: { customers: 4, skew: 0 },
    faultsShareMax: 0.95,
  };

  test.each([
    { level: 'snapshot', shows: ['G2-item'] },
    { level: 'serializable', shows: [] },
  ] as const)('at $level shows $shows', async ({ level, shows }) => {
    const bench = await LiarBench.with({ isolation: level }, await workloadNamed('smallbank'), driver);
    onTestFinished(() => bench.close());
    const record = await bench.withoutClient(driver, {
      ...skewing,
      controlPlane: (deployment) => replacesFunctions(deployment, slowChecks()),
    });
    expect(verdictOf(record)).toBe('ok');
    expect(record).toMatchObject({ factsAfter: { isolation: level }, audit: { status: 'passed' } });
    expect(seenIn(record).filter((anomaly) => anomaly !== 'real-time')).toEqual(shows);
  });
});

describe('a route that reads outside of its transaction', () => {
  let bench: LiarBench;
  beforeAll(async () => {
    bench = await LiarBench.with({ isolation: 'serializable' }, await workloadNamed(readsOutside), drizzle);
  });
  afterAll(() => bench.close());

  test('is void for this alone, although its transactions are serializable', async () => {
    const record = await bench.withoutClient(drizzle, contended);
    expect(verdictOf(record)).toMatch(
      /^void: serializable forbids what \d+ operations showed: \d+ lost update/,
    );
    expect(record).toMatchObject({ voidBy: ['isolation'], facts: { isolation: 'serializable' } });
  });
});

describe('systems that carry one operation out at a time', () => {
  let bench: LiarBench;
  beforeAll(async () => {
    bench = await LiarBench.on(await workloadNamed('isolation'), 'sqlite-drizzle');
  });
  afterAll(() => bench.close());

  test('show nothing', async () => {
    const record = await bench.withoutClient('sqlite-drizzle', contended);
    expect(verdictOf(record)).toBe('ok');
    expect(seenIn(record)).toEqual([]);
    expect(record.audit?.isolation?.operations).toBeGreaterThan(0);
  });
});

/** SmallBank's own functions, of which a check waits between its two readings. */
function slowChecks(): string {
  const path = new URL('../../../workloads/smallbank/postgres.sql', import.meta.url);
  const [functions = ''] = readFileSync(path, 'utf8').split('-- operation:');
  const reading = /(write_check[^$]*\$function\$\s*BEGIN\s*SELECT [^;]*;)/;
  const slow = functions.replace(reading, '$1 PERFORM pg_sleep(0.005);');
  if (slow === functions) throw new Error('a check of SmallBank does not begin with a reading');
  return slow;
}

function seenIn({ audit }: TrialRecord): Anomaly[] {
  const counts = audit?.isolation?.anomalies;
  return anomalySchema.options.filter((anomaly) => counts !== undefined && counts[anomaly] > 0);
}
