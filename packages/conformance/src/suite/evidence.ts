import { expect, test } from 'vitest';
import {
  type DataPlane,
  type Facts,
  factsSchema,
  inFlightSchema,
  workCountersSchema,
  describeStorage,
  logDirectoryOf,
  losesInPowerCut,
} from '@fair-bench/contract';
import { importClient } from '@fair-bench/load-client';
import { meanOf } from '@fair-bench/results';
import { probeCommits, StorageProbes } from '@fair-bench/runner';
import { drawerOf, type Workload } from '@fair-bench/workload';
import { writerOf } from './cases.ts';
import { type Fixture, type RunningTarget, soon } from './fixture.ts';

const operations = 25;
const requestedTest = 'durability in the facts';
const levelsTest = 'each level of durability';
const settingTest = 'a durable commit rests on a setting';
/** Well below the 0.6 by which a run observes durability: other tests flush the same disk meanwhile. */
const flushesPerCommitMin = 0.3;
/** Of commits on an idle disk, the mean of all probes. All of them end after a flush where they wait for it, none where not. */
const afterFlushShareMin = 0.6;
/** On a disk that other programs flush too. */
const probesMost = 3;

export function testEvidence(fixture: Fixture): void {
  test('facts have the contract’s form, agree with the probe, and do not change between readings', async ({
    skip,
  }) => {
    const target = fixture.target(skip);
    const facts = await readFacts(target);
    expect(() => factsSchema.parse(facts)).not.toThrow();
    expect(await readFacts(target)).toEqual(facts);
    expect(facts.writersMax).toBeGreaterThanOrEqual(1);
    const availability = await fixture.probe();
    if (!availability.available) throw new Error(`${target.name}: its probe reports it unavailable`);
    expect(facts.provider, 'the probe and the facts name the same provider').toBe(availability.provider);
    expect(facts.system.version).toContain(availability.version ?? '');
  });

  test(`${requestedTest} is consistent with the storage and the request`, async ({ skip }) => {
    const target = fixture.target(skip);
    const { durability, storage } = await readFacts(target);
    const isLost = losesInPowerCut(storage) && durability === 'durable';
    expect(isLost, `durable on ${describeStorage(storage)}`).toBe(false);
    // A system that stores nothing reports `none`; others were requested to be durable.
    const mistake = durabilityMistake(target.name, fixture.options.durability, durability);
    fixture.judged(requestedTest, mistake === null);
    expect(mistake, mistake ?? '').toBeNull();
  });

  test(`${levelsTest} is in force where it is requested, beside the other`, async ({ skip }) => {
    const target = fixture.soundTarget(skip, levelsTest);
    const other = fixture.options.durability === 'durable' ? 'async' : 'durable';
    if (!fixture.levels.includes(other)) skip(`its manifest does not offer ${other} commits`);
    const beside = await (await fixture.beside({ durability: other })).facts(soon());
    const mistake = levelsMistake(target.name, { requested: other, facts: beside }, await readFacts(target));
    fixture.judged(levelsTest, mistake === null);
    expect(mistake, mistake ?? '').toBeNull();
  });

  test(`${settingTest} of the fair profile, or is marked as requested`, async ({ skip }) => {
    const target = fixture.soundTarget(skip, settingTest);
    const { durability, durabilityBasis, settings } = await readFacts(target);
    if (durability !== 'durable') skip(`commits are ${durability}`);
    const isRead = fixture.route.fairProfile.some(({ setting }) => settings[setting] !== undefined);
    const mistake =
      isRead || durabilityBasis?.status === 'requested'
        ? null
        : `${target.name}: the facts call commits durable, and no setting that the server reports says so: name it in the fair profile, or set durabilityBasis to requested`;
    fixture.judged(settingTest, mistake === null);
    expect(mistake, mistake ?? '').toBeNull();
  });

  test('a durable commit costs a flush of the disk', async ({ skip }) => {
    const target = fixture.soundTarget(skip);
    const { durability, storage } = await readFacts(target);
    if (durability !== 'durable') skip(`commits are ${durability}`);
    const probe = await new StorageProbes().of(logDirectoryOf({ storage }));
    if (probe === null || probe.flushes === null)
      skip('the device of its data does not count its flushes here');
    const client = await importClient(target.clientModulePath);
    const { deployment } = target;
    // Flushes of other programs are subtracted, which can also hide ours: the probe that shows most counts. Commits
    // that begin while the disk is idle show theirs among many of others, and by chance some that are not theirs.
    let [flushes, probed] = [0, 0];
    const afterFlush: number[] = [];
    for (let attempt = 0; attempt < probesMost && flushes < flushesPerCommitMin; attempt += 1) {
      // Each probe draws the same operations, and a key is inserted once.
      const workload = await target.seed(1_000);
      if (!writerOf(workload).writes) skip('no operation of the workload writes');
      const seeded = {
        workload,
        tables: target.tables,
        unread: new Set<number>(),
        touched: new Set<number>(),
      };
      const commits = await probeCommits({ deployment, client, seeded, storage: probe, load: null });
      probed += commits.operations;
      flushes = Math.max(flushes, commits.flushesPerOperation ?? 0);
      if (commits.afterFlushShare !== null) afterFlush.push(commits.afterFlushShare);
    }
    if (flushes >= flushesPerCommitMin) return;
    if (afterFlush.length === 0) skip('other programs flush the same disk all the time');
    const share = meanOf(afterFlush);
    const found =
      `${target.name}: the facts call commits durable, but one costs ${flushes.toFixed(2)} flushes of the disk. ` +
      `${probed} operations ran one after the other; of those that began on an idle disk, ${Math.round(100 * share)} % ended after a flush. ` +
      'Read the setting that decides it, and report async where it does not wait';
    const mistake = share < afterFlushShareMin ? found : null;
    expect(mistake, mistake ?? '').toBeNull();
  });

  test('every setting of the fair profile is read live or labelled as requested, with a value that the profile accepts', async ({
    skip,
  }) => {
    const facts = await readFacts(fixture.soundTarget(skip));
    const settings = { ...facts.settings, ...facts.requested };
    const isAsync = fixture.options.durability === 'async';
    for (const { setting, when, ...values } of fixture.route.fairProfile) {
      const accepted = isAsync ? (values.acceptedAsync ?? values.accepted) : values.accepted;
      if (when !== undefined && !when.is.includes(settings[when.setting] ?? '')) continue;
      expect(Object.keys(settings), `the facts lack ${setting} of the fair profile`).toContain(setting);
      expect(accepted, `${setting} differs from the fair profile`).toContain(settings[setting]);
    }
  });

  test('counters never fall, and show at least the writes that were acknowledged', async ({ skip }) => {
    const target = fixture.soundTarget(skip);
    const workload = await target.seed();
    const writer = writerOf(workload);
    if (!writer.writes) skip('no operation of the workload writes');
    const cases = writer.applied(operations);
    const before = workCountersSchema.parse(await target.deployment.counters(soon()));
    await target.withSession(workload, async (session) => {
      for (const { operation, values } of cases) {
        expect(await session.execute(operation, values)).toMatchObject({ kind: 'applied' });
      }
    });
    const after = workCountersSchema.parse(await target.deployment.counters(soon()));
    expect(Object.keys(after), 'a counter is either always present, or never').toEqual(Object.keys(before));
    const { durability } = await readFacts(target);
    const leastRise = {
      commits: cases.length,
      applied: cases.length,
      // One session that waits for each reply: no flush covers two of its commits.
      flushes: durability === 'durable' ? cases.length : 0,
      retries: 0,
    };
    for (const name of ['commits', 'applied', 'flushes', 'retries'] as const) {
      const [from, to] = [before[name], after[name]];
      if (from === undefined || to === undefined) continue;
      expect(to - from, `${name} rose from ${from} to ${to}`).toBeGreaterThanOrEqual(leastRise[name]);
    }
  });

  test('the server’s peak in flight is what the sessions sent, and depth is pipelined', async ({ skip }) => {
    const target = fixture.soundTarget(skip);
    const { deployment } = target;
    const workload = await target.seed(100);
    await deployment.prepare(soon());
    const [sessions, depth] = [2, 8];
    await target.withSessions(workload, { count: sessions, depth }, async (open) => {
      await Promise.all(open.map(async (session, index) => await pump(session, workload, index, depth)));
    });
    const inFlight =
      (await deployment.inFlight(soon())) ??
      skip('deployment.inFlight resolves to null, so operations outstanding at the server are not observed');
    const { peak } = inFlightSchema.parse(inFlight);
    expect(peak).toBeLessThanOrEqual(sessions * depth);
    // A server with one writer ends each operation before it starts the next.
    const { writersMax } = await readFacts(target);
    const peakMin = writersMax > 1 ? sessions + 1 : 1;
    expect(peak, 'a pipelined session has more than one outstanding').toBeGreaterThanOrEqual(peakMin);
  });
}

interface Level {
  readonly requested: Facts['durability'];
  readonly facts: Facts;
}

/** What is wrong with two targets that run side by side at different levels. */
function levelsMistake(name: string, { requested, facts }: Level, own: Facts): string | null {
  const wrong = durabilityMistake(name, requested, facts.durability);
  if (wrong !== null || facts.durability === own.durability) return wrong;
  const [one, other] = [own, facts].map((each) => JSON.stringify({ ...each.settings, ...each.requested }));
  if (one !== other) return null;
  return `${name}: the facts call commits ${own.durability} at one level and ${facts.durability} at the other, with the same settings; derive durability from a setting that the server reports`;
}

function durabilityMistake(name: string, requested: string, found: Facts['durability']): string | null {
  if (found === requested || found === 'none') return null;
  return `${name}: ${requested} commits were requested, and the facts say ${found}; pass the level on where the server or its sessions are started (local.settings, where launch needs it), and derive durability from the settings that the server reports`;
}

async function readFacts({ deployment }: RunningTarget): Promise<Facts> {
  return await deployment.facts(soon());
}

/** Sends 40 drawn operations of one session, `depth` of them outstanding. */
async function pump(session: DataPlane, workload: Workload, index: number, depth: number): Promise<void> {
  const { operation } = writerOf(workload);
  const described = workload.operations[operation];
  if (described === undefined) return;
  const draw = drawerOf(workload, described, index);
  await Promise.all(
    Array.from({ length: depth }, async () => {
      for (let sent = 0; sent < 40 / depth; sent += 1) await session.execute(operation, draw());
    }),
  );
}
