import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DoctorCheck, type DoctorReport, doctorReportSchema } from '../src/doctor/doctor-report.ts';
import { renderDoctor } from '../src/doctor/index.ts';
import { startCommand } from './support/command.ts';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fair-bench-doctor-test-'));
});
afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

async function doctor(environment: Record<string, string> = {}): Promise<[number | null, DoctorReport]> {
  const command = startCommand(['doctor', '--json'], { ...process.env, ...environment });
  const code = await command.ended;
  return [code, doctorReportSchema.parse(JSON.parse(command.output()))];
}

const namesOf = (checks: readonly DoctorCheck[]): readonly string[] => checks.map(({ name }) => name);

test('it looks at machine, tools, targets and fairness, and leaves nothing on the disk', async () => {
  const [code, report] = await doctor({ FAIR_BENCH_DATA_DIR: scratch });
  expect(code).toBe(0);
  expect(report.ready).toBe(true);
  expect(namesOf(report.machine)).toEqual([
    'cores',
    'cpu governor',
    'neighbours',
    'memory',
    'open files',
    'disk',
    'fsync',
    'flush counter',
  ]);
  expect(namesOf(report.tools)).toEqual(['node', 'cargo', 'wasm target', 'docker', 'nats-server']);
  expect(namesOf(report.targets)).toContain('postgres-storedproc@bun');
  expect(namesOf(report.targets)).not.toContain('null-http');
  expect(namesOf(report.fairness)).toEqual(
    expect.arrayContaining([
      'does the dataset fit in memory?',
      'is postgres on its recommended configuration?',
      'would a maintainer object?',
    ]),
  );
  expect(report.machine.find(({ name }) => name === 'fsync')?.found).toMatch(/^[1-9]\d* synced writes/);
  expect(await readdir(scratch)).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'a data directory in memory is reported as NEEDED, and the exit code is 1',
  async () => {
    const [code, report] = await doctor({ FAIR_BENCH_DATA_DIR: '/dev/shm' });
    expect(code).toBe(1);
    expect(report.ready).toBe(false);
    expect(report.machine.find(({ name }) => name === 'disk')).toMatchObject({
      status: 'needed',
      found: expect.stringContaining('tmpfs'),
      remedy: expect.stringContaining('--data-dir'),
    });
  },
);

test('without cargo and docker it says how to install them, and the default run still works', async () => {
  const [code, { tools }] = await doctor({ PATH: scratch });
  expect(code).toBe(0);
  for (const name of ['cargo', 'wasm target', 'docker']) {
    const check = tools.find((one) => one.name === name);
    expect(check).toMatchObject({ status: 'lacking', remedy: expect.stringMatching(/install|rustup/) });
  }
});

describe('the report for people', () => {
  const report: DoctorReport = {
    ready: false,
    machine: [{ name: 'memory', status: 'ok', found: '64 MiB' }],
    tools: [{ name: 'cargo', status: 'lacking', found: 'not found', remedy: 'install it' }],
    targets: [{ name: 'the default run', status: 'needed', found: 'no target', remedy: 'name one' }],
    fairness: [],
  };

  test('has a remedy below each problem, and says whether the default run works', () => {
    expect(renderDoctor(report)).toMatch(/ok +memory: 64 MiB\n/);
    expect(renderDoctor(report)).toMatch(/lacking +cargo: not found\n +remedy: install it\n/);
    expect(renderDoctor(report)).toMatch(/NEEDED +the default run: no target\n +remedy: name one\n/);
    expect(renderDoctor(report)).toMatch(/does not work here: see the lines marked NEEDED$/);
    expect(renderDoctor({ ...report, ready: true })).toMatch(/works here: npm run fair-bench$/);
  });
});
