import { everyTest, inTestAll } from '@fair-bench/contract/test-support';
import type { FaultTrial } from '@fair-bench/results';
import { expect, test, type TestContext } from 'vitest';
import { faultTrial } from './support/fault-bench.ts';

/** The first build of the disk that forgets takes a minute. */
const options = { timeout: 20 * 60_000 };
const postgres = 'postgres-driver';
const sqlite = 'sqlite-drizzle';
type Setting = Parameters<typeof faultTrial>[1];

async function trialOf(
  { skip }: Pick<TestContext, 'skip'>,
  system: string,
  setting: Setting,
): Promise<FaultTrial> {
  const trial = await faultTrial(system, setting);
  return typeof trial === 'string' ? skip(trial) : trial;
}

/** What the rows showed, or why the trial is void. */
function outcomeOf(trial: FaultTrial): string {
  if (trial.status === 'ok') return trial.rows.outcome;
  return trial.status === 'void' ? `void: ${trial.reason}` : trial.status;
}

function lostIn(trial: FaultTrial): number | null {
  return trial.status === 'ok' ? trial.rows.lost : null;
}

inTestAll(() => {
  test(
    'commits that are acknowledged before they are written are lost by a kill, and counted',
    options,
    async (context) => {
      const trial = await trialOf(context, postgres, {
        kind: 'kill',
        durability: 'async',
        ratePerSecond: 1_000,
      });
      expect(outcomeOf(trial)).toBe('lost');
      expect(lostIn(trial)).toBeGreaterThan(0);
    },
  );
});

test(
  'commits that are acknowledged before they are flushed are lost by a power cut',
  options,
  async (context) => {
    const trial = await trialOf(context, sqlite, { kind: 'power-cut', durability: 'async' });
    expect(outcomeOf(trial)).toBe('lost');
    expect(lostIn(trial)).toBeGreaterThan(0);
  },
);

inTestAll(() => {
  test(
    'a client that sends again what was on a lost connection is seen by what was done twice',
    options,
    async (context) => {
      const setting = { kind: 'conn-reset', liar: 'sends-again', ratePerSecond: 1_500 } as const;
      const trial = await trialOf(context, postgres, setting);
      expect(outcomeOf(trial)).toBe('doubled');
      expect(trial.status === 'ok' ? trial.rows.doubled : 0).toBeGreaterThan(0);
    },
  );
});

inTestAll(() => {
  test(
    'a client that hides errors by sending again is void: the dead do not answer',
    options,
    async (context) => {
      const setting = { kind: 'kill', liar: 'sends-again', ratePerSecond: 1_000 } as const;
      const trial = await trialOf(context, postgres, setting);
      expect(outcomeOf(trial)).toMatch(
        /^void: \d+ operations that were outstanding when its servers were killed/,
      );
    },
  );
});

test(
  'nothing durable is lost by a kill; what was outstanding is in doubt, and the outage in the latencies',
  options,
  async (context) => {
    const trial = await trialOf(context, postgres, { kind: 'kill', ratePerSecond: 1_000 });
    expect(outcomeOf(trial)).toBe('kept');
    const [inDoubt, first, began] =
      trial.status === 'ok'
        ? [trial.result.total.inDoubt, trial.course.firstAppliedMs, trial.course.beganMs]
        : [0, null, 0];
    expect(inDoubt).toBeGreaterThan(0);
    expect(first).toBeGreaterThan(began);
  },
);

/** Honest systems under each fault, and a level that loses by one fault and not by another. */
const honest: readonly (readonly [string, Setting])[] = [
  [sqlite, { kind: 'kill', durability: 'async' }],
  [sqlite, { kind: 'power-cut' }],
  [postgres, { kind: 'power-cut' }],
  ['mariadb-driver', { kind: 'power-cut' }],
  [postgres, { kind: 'pause', lengthMs: 1_000 }],
  [postgres, { kind: 'network', lengthMs: 1_000 }],
  [postgres, { kind: 'conn-reset' }],
  [sqlite, { kind: 'disk-full', lengthMs: 1_000 }],
  [sqlite, { kind: 'slow-disk', lengthMs: 1_000, ratePerSecond: 50 }],
];

test.each(everyTest ? honest : [])('%s keeps everything: %j', options, async (system, setting) => {
  // A callback of `each` has no context of its own.
  const trial = await faultTrial(system, setting);
  expect(typeof trial === 'string' ? `not here: ${trial}` : outcomeOf(trial)).toMatch(/^kept$|^not here: /);
});
