import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TrialRecord } from '@fair-bench/results';
import { chosen, inTestAll } from '@fair-bench/contract/test-support';
import { measureAgain, WireDepths } from '@fair-bench/runner';
import type { LiarName } from '../src/test-support/index.ts';
import { LiarBench, verdictOf } from './support/liar-bench.ts';

const system = 'postgres-storedproc';
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.open(system);
});
afterAll(() => bench.close());

const sessions = [
  {
    liar: 'holds-replies',
    // Enough outstanding operations for a reply in every slot.
    setting: { sessions: 16, depth: 8 },
    repeats: 1,
    voided: /replies came in bursts: \d+ % of the 10 ms slots had none/,
  },
  {
    liar: 'exceeds-its-depth',
    setting: {},
    repeats: 0,
    voided: /the server had \d+ operations outstanding; 32 are allowed/,
  },
] as const;

/** In `npm test` a load client breaks the rule of the second. */
describe.each(chosen(sessions, (_, place) => place === 0))(
  'a session that $liar',
  ({ liar, setting, repeats, voided }) => {
    test('voids the trial, though every row is right, and every repeat that the rule permits', async () => {
      const measure = vi.fn<() => Promise<TrialRecord>>(
        async () => await bench.withClient(system, liar, 'told', setting),
      );
      const record = await measureAgain({ measure, againMax: 1, voidsMax: 1, aside: null });
      expect(measure).toHaveBeenCalledTimes(1 + repeats);
      expect(verdictOf(record)).toMatch(voided);
      expect(record.audit?.status).toBe('passed');
    });

    test('passes in the same setting without the lie', async () => {
      expect(verdictOf(await bench.withClient(system, liar, 'none', setting))).toBe('ok');
    });
  },
);

inTestAll(() => {
  describe('a session that queues operations', () => {
    const setting = () => ({ wire: new WireDepths(), depth: 8 });

    test('shows one request at a time on the wire, and the record warns of it', async () => {
      const record = await bench.withClient(system, 'holds-operations-back', 'told', setting());
      expect(verdictOf(record)).toBe('ok');
      expect(record).toMatchObject({ observed: { outstandingOnWire: 1 } });
      expect(record.warnings.map(({ code }) => code)).toContain('depth-not-reached');
    });

    test('shows its whole depth there without the lie', async () => {
      const record = await bench.withClient(system, 'holds-operations-back', 'none', setting());
      expect(record).toMatchObject({ status: 'ok', observed: { outstandingOnWire: 8 } });
      expect(record.warnings.map(({ code }) => code)).not.toContain('depth-not-reached');
    });
  });
});

describe('a load client that', () => {
  test('reports half of the mean latency voids the trial by Little’s law', async () => {
    const record = await trialBy('halves-latency');
    expect(verdictOf(record)).toMatch(/throughput × mean latency says \d+\.\d operations outstanding/);
  });

  test('reports half of the percentiles, and the true mean, voids the trial', async () => {
    expect(verdictOf(await trialBy('halves-percentiles'))).toMatch(/latency histograms/);
  });

  const slow = [
    [6, 'slows-its-clock'],
    [10, 'slows-its-clock-more'],
  ] as const;
  test.each(chosen(slow, (_, place) => place === 0))(
    'has a clock that is %d %% too slow voids the trial, though its figures agree',
    async (_, lie) => {
      const record = await trialBy(lie, { windowMs: 700 });
      expect(verdictOf(record)).toMatch(
        /^void: when 7\d\d ms had passed since the runner heard that the window began, the system had done/,
      );
    },
  );

  inTestAll(() => {
    test('keeps its window short where latency is long voids the trial by its window alone', async () => {
      // 640 outstanding on a few writers: each waits for the others far longer than a tenth of the window.
      const setting = { sessions: 16, depth: 40, windowMs: 300 };
      const record = await trialBy('keeps-its-window-short', setting);
      expect(verdictOf(record)).toMatch(
        /^void: the window of 300 ms is shorter than 5 mean latencies of \d+ ms/,
      );
      expect(record.audit?.status).toBe('passed');
      const honest = await trialBy('none', setting);
      expect(verdictOf(honest)).toBe('ok');
      expect(honest).toMatchObject({ result: { timing: { windowMs: expect.toSatisfy((ms) => ms > 300) } } });
    });
  });

  const early = [
    ['counts the end of its warm-up', 'counts-the-end-of-its-warm-up'],
    ['counts its warm-up', 'counts-its-warm-up'],
  ] as const;
  test.each(chosen(early, (_, place) => place === 0))(
    '%s in the window voids the trial, though every row is right',
    async (_name, lie) => {
      const timing = { warmupMs: 1_000, windowMs: 1_000 };
      const record = await trialBy(lie, timing);
      expect(verdictOf(record)).toMatch(
        /^void: \d+ operations that write were reported as applied in the window, but the system did \d+/,
      );
      expect(record.audit?.status).toBe('passed');
    },
  );

  test('keeps twice the depth outstanding voids the trial', async () => {
    expect(verdictOf(await trialBy('doubles-depth'))).toMatch(
      /the load client had \d+ operations outstanding; 32 are allowed/,
    );
  });

  inTestAll(() => {
    test('keeps twice the depth outstanding and hides it voids the trial by Little’s law', async () => {
      const record = await trialBy('doubles-depth-and-hides-it');
      expect(verdictOf(record)).toMatch(/throughput × mean latency says \d+\.\d operations outstanding/);
      expect(verdictOf(record)).toMatch(/the server had \d+ operations outstanding; 32 are allowed/);
    });
  });

  test('reports the truth through the same wrapper passes', async () => {
    expect(verdictOf(await trialBy('none'))).toBe('ok');
    expect(verdictOf(await trialBy('none', { warmupMs: 1_000, windowMs: 1_000 }))).toBe('ok');
  });
});

describe('a load client with a higher rate than the system can do', () => {
  // One session at depth 1 does some hundreds of durable operations a second.
  const overload = {
    loop: { kind: 'open', ratePerSecond: 20_000 },
    sessions: 1,
    depth: 1,
  } as const;

  test.each(['hides-what-it-never-started', 'halves-what-waited'] as const)(
    'voids the trial where it %s',
    async (lie) => {
      const record = await trialBy(lie, overload);
      expect(verdictOf(record)).toMatch(
        lie === 'halves-what-waited' ? /at the offered rate they waited at least/ : /and 0 never started/,
      );
    },
  );

  test('passes where it counts what waited', async () => {
    expect(verdictOf(await trialBy('none', overload))).toBe('ok');
  });
});

async function trialBy(lie: LiarName | 'none', setting: Parameters<LiarBench['withLoadClient']>[2] = {}) {
  return await bench.withLoadClient(system, lie, setting);
}
