import { expect, test } from 'vitest';
import { type Facts, factsSchema, inFlightSchema, workCountersSchema } from '@fair-bench/contract';
import { type Fixture, pump, type RunningTarget, soon } from './fixture.ts';

/** File systems that keep nothing over a power cut. */
const volatileFileSystems = ['tmpfs', 'ramfs', 'memory'];
const transfers = 25;

export function testEvidence(fixture: Fixture): void {
  test('facts have the contract’s form, agree with the probe, and are the same when asked again', async ({
    skip,
  }) => {
    const target = fixture.target(skip);
    const facts = await readFacts(target);
    expect(() => factsSchema.parse(facts)).not.toThrow();
    expect(await readFacts(target)).toEqual(facts);
    expect(facts.writersMax).toBeGreaterThanOrEqual(1);
    const availability = await fixture.probe();
    if (!availability.available) throw new Error(`${target.name}: probe says that it is not there`);
    expect(facts.provider, 'the probe and the facts name the same provider').toBe(availability.provider);
    expect(facts.system.version).toContain(availability.version ?? '');
  });

  test('durability in the facts is consistent with the storage and with what was asked for', async ({
    skip,
  }) => {
    const { durability, storage } = await readFacts(fixture.target(skip));
    const isVolatile = volatileFileSystems.includes(storage.fileSystem);
    expect(isVolatile && durability === 'durable', `durable on ${storage.fileSystem}`).toBe(false);
    // A system that stores nothing says `none`; one that stores was asked to be durable.
    expect(durability).not.toBe(fixture.options.durability === 'durable' ? 'async' : 'durable');
  });

  test('every setting of the fair profile is read live, with a value that the profile accepts', async ({
    skip,
  }) => {
    const { settings } = await readFacts(fixture.target(skip));
    for (const { setting, accepted, when } of fixture.route.fairProfile) {
      if (when !== undefined && !when.is.includes(settings[when.setting] ?? '')) continue;
      expect(Object.keys(settings), `facts.settings lacks ${setting} of the fair profile`).toContain(setting);
      expect(accepted, `${setting} is not what the fair profile asks for`).toContain(settings[setting]);
    }
  });

  test('counters never fall, and show at least what was acknowledged', async ({ skip }) => {
    const target = fixture.target(skip);
    await target.seed(2, 1_000n);
    const before = workCountersSchema.parse(await target.deployment.counters(soon()));
    const outcomes = await target.withSessions(1, 1, (sessions) =>
      pump(sessions, {
        depth: 1,
        count: transfers,
        next: () => ({ source: 0, target: 1, amount: 1n }),
      }),
    );
    expect(outcomes.filter(({ kind }) => kind === 'applied')).toHaveLength(transfers);
    const after = workCountersSchema.parse(await target.deployment.counters(soon()));
    expect(Object.keys(after), 'a counter is there always, or never').toEqual(Object.keys(before));
    const { durability } = await readFacts(target);
    const leastRise = {
      commits: transfers,
      applied: transfers,
      // One session that waits for each reply: no flush can cover two of its commits.
      flushes: durability === 'durable' ? transfers : 0,
      retries: 0,
    };
    for (const name of ['commits', 'applied', 'flushes', 'retries'] as const) {
      const [from, to] = [before[name], after[name]];
      if (from === undefined || to === undefined) continue;
      expect(to - from, `${name} rose from ${from} to ${to}`).toBeGreaterThanOrEqual(leastRise[name]);
    }
  });

  test('the server’s peak in flight is what the sessions sent, and depth is pipelined', async ({ skip }) => {
    const target = fixture.target(skip);
    const { deployment } = target;
    await target.seed(100, 1_000n);
    await deployment.prepare(soon());
    const [sessions, depth] = [2, 8];
    await target.withSessions(sessions, depth, (open) =>
      pump(open, {
        depth,
        count: 40,
        next: (session, k) => ({
          source: (2 * k) % 100,
          target: (2 * k + 1 + 2 * session) % 100,
          amount: 1n,
        }),
      }),
    );
    const inFlight =
      (await deployment.inFlight(soon())) ??
      skip('deployment.inFlight resolves to null, so operations in hand at the server are not observed');
    const { peak } = inFlightSchema.parse(inFlight);
    expect(peak).toBeLessThanOrEqual(sessions * depth);
    // A server with one writer ends each operation before it takes up the next.
    const { writersMax } = await readFacts(target);
    const peakMin = writersMax > 1 ? sessions + 1 : 1;
    expect(peak, 'a pipelined session has more than one in hand').toBeGreaterThanOrEqual(peakMin);
  });
}

async function readFacts({ deployment }: RunningTarget): Promise<Facts> {
  return await deployment.facts(soon());
}
