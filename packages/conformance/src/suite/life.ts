import { expect, test } from 'vitest';
import { nodeClient, runShortTrial } from '../short-trial.ts';
import { type Fixture, soon } from './fixture.ts';

export function testAvailability(fixture: Fixture): void {
  test('says whether it can be had here, and if not, why and what would help', async ({ skip }) => {
    const availability = await fixture.probe();
    if (availability.available) return;
    expect(availability.reason).not.toBe('');
    expect(availability.remedy).not.toBe('');
    skip(`${fixture.route.name}: ${availability.reason}; ${availability.remedy}`);
  });
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
