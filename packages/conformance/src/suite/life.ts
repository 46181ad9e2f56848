import { expect, test } from 'vitest';
import { nodeClient, runShortTrial } from '../short-trial.ts';
import { describeKill, killUnderLoad, type WithKillableServer } from '../kill-under-load.ts';
import { type Fixture, soon } from './fixture.ts';

const killAfterMs = 700;
const killTimeoutMs = 120_000;

export function testAvailability(fixture: Fixture): void {
  test('says whether it can be had here, and if not, why and what would help', async ({ skip }) => {
    const availability = await fixture.probe();
    if (availability.available) return;
    expect(availability.reason).not.toBe('');
    expect(availability.remedy).not.toBe('');
    skip(`${fixture.route.name}: ${availability.reason}; ${availability.remedy}`);
  });
}

/** Comes before the tests that need a target. */
export function testStart(fixture: Fixture): void {
  test('starts, and applies one operation', ({ skip }) => {
    expect(fixture.startError(skip)).toBeNull();
  });
}

/** Kills the server under load: an acknowledged operation is there after the restart. */
export function testKill(fixture: Fixture, killable: WithKillableServer | undefined): void {
  test(
    'a SIGKILL of the server loses nothing that was acknowledged',
    async ({ skip }) => {
      fixture.target(skip);
      const withServer = killable ?? skip('its test gives describeConnector no server to kill');
      const figures = await withServer((server) => killUnderLoad(server, killAfterMs));
      process.stdout.write(`${fixture.route.name}: ${describeKill(figures)}\n`);
      expect(figures).toMatchObject({ lost: 0, invented: 0 });
      expect(figures.acknowledged).toBeGreaterThan(0);
      expect(figures.inDoubt, 'it was killed under load').toBeGreaterThan(0);
    },
    killTimeoutMs,
  );
}

export function testTrial(fixture: Fixture): void {
  test('a short trial by the real load client holds before the audit', async ({ skip }) => {
    const { name, deployment, clientModulePath, directory } = fixture.target(skip);
    const record = await runShortTrial({
      target: name,
      deployment,
      client: nodeClient(clientModulePath),
      directory,
    });
    expect(record.status === 'ok' ? 'holds' : record.reason).toBe('holds');
    expect(record.audit).toMatchObject({ status: 'passed', accountsChecked: 1_000, mismatches: 0 });
    expect(record).toHaveProperty('tps');
  });
}

/** Has to come last: it ends the target. */
export function testEnd(fixture: Fixture): void {
  test('close ends every process of the target', async ({ skip }) => {
    const { deployment } = fixture.target(skip);
    await deployment.check(soon());
    const pids = deployment.processes.map(({ pid }) => pid);
    expect(pids.filter(isAlive), 'deployment.processes lists processes that run').toEqual(pids);
    await fixture.close();
    expect(pids.filter(isAlive)).toEqual([]);
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
