import { chosen } from '@fair-bench/contract/test-support';
import { expect, test } from 'vitest';
import { type Durability, hasCode, messageOf } from '@fair-bench/contract';
import type { TrialRecord } from '@fair-bench/results';
import { WireDepths } from '@fair-bench/runner';
import { programOf, smallParameters } from '@fair-bench/workload';
import {
  contend,
  describeKill,
  killBatch,
  type KillReport,
  killUnderLoad,
  nothingDeclined,
  withKillableTarget,
} from '@fair-bench/runner';
import { importClient } from '@fair-bench/load-client';
import { nodeClient, runShortTrialAgain, type ShortTrial } from '../short-trial.ts';
import { type Fixture, type RunningTarget, soon } from './fixture.ts';

const killAfterMs = 700;
const killTimeoutMs = 120_000;
/** Hundreds of operations where a commit takes milliseconds: every trial uses all processors as long as it lasts. */
export const shortest = { warmupMs: 50, windowMs: 250 };
/** The system's own count begins late where a machine runs other tests: little beside this. */
const contendedMs = 400;
/** Of a session: how a session keeps more outstanding is seen on the wire, and a trial takes as long as what waits in it. */
const [depth, depthOnWire] = [2, 4];
/** An engine in the load client carries operations out one by one: more would only wait. */
const sessionsInside = 4;

export function testAvailability(fixture: Fixture): void {
  test('says whether it is available here, and if not, the reason and the remedy', async ({ skip }) => {
    const availability = await fixture.probe();
    if (availability.available) return;
    expect(availability.reason).not.toBe('');
    expect(availability.remedy).not.toBe('');
    const { route, options } = fixture;
    if (availability.isFound === true)
      throw new Error(`${route.name}: ${availability.reason}; ${availability.remedy}`);
    // A server that was named must be there; only a workload may have no binding.
    const server = options.url === undefined ? availability : await route.probe(options);
    const { reason, remedy } = server.available ? availability : server;
    if (options.url !== undefined && !server.available)
      throw new Error(`${route.name}: ${reason}; ${remedy}`);
    skip(`${route.name}: ${reason}; ${remedy}`);
  });
}

/** Runs before the tests that need a target. */
export function testStart(fixture: Fixture): void {
  test('starts, and applies one operation', ({ skip }) => {
    const error = fixture.startError(skip);
    expect(error, error === null ? '' : messageOf(error)).toBeNull();
  });
}

/**
 * Kills the server under load, or the process that has the engine in it: where a level is durable, an acknowledged operation must
 * exist after the restart. What another level loses is printed.
 */
export function testKill(fixture: Fixture, killable: boolean): void {
  const { levels, batch } = fixture;
  const alone = levels.map((durability) => ({ durability, batch: 1 }));
  const isBatched = batch.length > 0 && levels.includes('durable');
  const tiers = isBatched ? [...alone, { durability: 'durable' as const, batch: killBatch }] : alone;
  test.for(chosen(tiers, ({ durability, batch: size }) => durability === 'durable' && size === 1))(
    `${killTest}: $durability, batch $batch`,
    { timeout: killTimeoutMs },
    async ({ durability, batch: together }, { skip }) => {
      const own = `${killTest}: ${durability}, batch ${together}`;
      const { workload, clientModulePath } = fixture.soundTarget(skip, own);
      if (!killable) skip('its test does not let describeConnector kill it');
      // It finds the processes in /proc.
      if (process.platform !== 'linux') skip('needs Linux');
      const load = { workload, clientModulePath, loadMs: killAfterMs, batch: together };
      const options = { ...(await fixture.targetOptions()), durability, batchMax: together };
      let isSound = false;
      try {
        const { level, figures } = await killed({ route: fixture.route, options }, load);
        expect(figures.acknowledged).toBeGreaterThan(0);
        expect(figures.inDoubt, 'it was killed under load').toBeGreaterThan(0);
        expect(level === 'durable' ? figures.differences : []).toEqual([]);
        isSound = true;
      } finally {
        // The other tiers would say the same.
        fixture.judged(own, isSound);
      }
    },
  );
}

const killTest = 'a SIGKILL loses nothing that was acknowledged as durable';

/** Prints what it found. */
async function killed(
  setting: Parameters<typeof withKillableTarget>[0],
  load: Parameters<typeof killUnderLoad>[1],
): Promise<{ readonly level: Durability; readonly figures: KillReport }> {
  const { name } = setting.route;
  return await withKillableTarget(setting, async (target) => {
    const { durability: level } = await target.deployment.facts(soon());
    const figures = await killUnderLoad(target, load);
    process.stdout.write(
      `${name}, ${level}, batch ${load.batch}, ${load.workload.name}: ${describeKill(figures)}\n`,
    );
    return { level, figures };
  });
}

interface Trials {
  readonly sessions: number;
  /** Whether operations meet on few rows too. */
  readonly isContended: boolean;
  /** How many requests of a session the first is to see on the wire before a reply. */
  readonly requestsOnWire: 'its depth' | 'one' | 'not counted';
}

/** Trials as in a run: by the real load client, audited and judged. */
export function testTrials(
  fixture: Fixture,
  { sessions: sessionsMost, isContended, requestsOnWire }: Trials,
): void {
  const onWire = requestsOnWire !== 'not counted';
  const sessions = fixture.isInLoadClient ? Math.min(sessionsInside, sessionsMost) : sessionsMost;
  test('a short trial by the real load client passes the audit', async ({ skip }) => {
    const record = await trialOn(fixture.soundTarget(skip), {
      sessions,
      ...(onWire ? { wire: new WireDepths(), depth: depthOnWire } : {}),
    });
    expect(record.status === 'ok' ? 'holds' : record.reason).toBe('holds');
    expect(record.audit).toMatchObject({ status: 'passed', mismatches: 0 });
    expect(record).toHaveProperty('tps');
    if (!onWire) return;
    const seen = record.status === 'ok' ? record.observed.outstandingOnWire : null;
    if (seen === null) skip('it passes; the wire does not show a session’s outstanding requests');
    expect(seen, 'requests of a session on the wire before a reply to the first').toBe(
      requestsOnWire === 'one' ? 1 : depthOnWire,
    );
  });

  if (!isContended) return;
  test('many concurrent operations on seven rows end without a fault, and every effect exists once', async ({
    skip,
  }) => {
    const target = fixture.soundTarget(skip);
    const parameters = smallParameters(target.workload.description);
    const record = await trialOn(target, { sessions, parameters, windowMs: contendedMs });
    expect(record.status === 'ok' ? record.result.total.faults : record.reason).toEqual({});
    expect(record.audit).toMatchObject({ status: 'passed', mismatches: 0 });
  });

  test('concurrent operations on few rows, whose amounts run out, are applied only where an order permits them', async ({
    skip,
  }) => {
    const { name, deployment, clientModulePath, workload } = fixture.soundTarget(skip);
    const contended = await contend({
      target: name,
      client: await importClient(clientModulePath),
      deployment,
      description: workload.description,
      sessionsMax: fixture.options.sessionsMax,
      signal: soon(30_000),
    });
    if (contended.status === 'not-observed' && contended.reason === nothingDeclined) skip(contended.reason);
    expect(contended).toMatchObject({ status: 'passed' });
    const { applied, declined } = contended.status === 'passed' ? contended : { applied: 0, declined: 0 };
    expect(applied, 'applied').toBeGreaterThan(0);
    // TPC-C declines by lot, one order in a hundred, which a slow system may not reach: no decline of it depends on what others write.
    const program = programOf(workload.description);
    const isByLot =
      program !== null && Object.values(program.operations).every((one) => one.declined === undefined);
    const leastDeclined = isByLot ? 0 : 1;
    expect(declined, 'declined').toBeGreaterThanOrEqual(leastDeclined);
  });
}

export async function trialOn(
  target: RunningTarget,
  setting: Pick<ShortTrial, 'sessions' | 'depth' | 'batch' | 'wire' | 'parameters' | 'windowMs'>,
): Promise<TrialRecord> {
  const { name, deployment, clientModulePath, directory, workload } = target;
  return await runShortTrialAgain({
    target: name,
    deployment,
    client: nodeClient(clientModulePath),
    directory,
    workload: workload.description,
    depth,
    ...shortest,
    ...setting,
  });
}

/** Must run last: it ends the target. */
export function testEnd(fixture: Fixture): void {
  test('close ends every process of the target', async ({ skip }) => {
    const { deployment } = fixture.target(skip);
    await deployment.check(soon());
    const pids = deployment.processes.map(({ pid }) => pid);
    expect(pids.filter(isAlive), 'deployment.processes lists processes that run').toEqual(pids);
    // A server that the next workload needs ends with the last one.
    const ended = await fixture.close();
    expect(ended.filter(isAlive)).toEqual([]);
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
    throw error;
  }
}
