import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPassed, readArtifacts } from '@fair-bench/results';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOf, planOf, present } from '@fair-bench/analysis/test-support';
import { CellCores } from '../src/probes/cell-cores.ts';
import { allowedCores, pinning } from '../src/probes/cores.ts';
import { readSummary, smallRun, startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';

const runMsMax = 200_000;
const all = allowedCores('self');
/** Linux with more than one processor, which all machines that test this project have. */
const isPinnable = all !== null && /[,-]/.test(all);
let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fair-bench-cores-'));
});
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

test.skipIf(!isPinnable)(
  'with --pin on the kernel lists disjoint processors for the load client and every server process',
  {
    timeout: runMsMax,
    meta: { whySkipped: 'processes cannot be pinned here: not Linux, or one processor' },
  },
  async () => {
    const words = ['--systems', 'sqlite-drizzle,postgres-driver', '--trials', '1', '--pin', 'on'];
    const { out, code, output } = await measured(scratch, (to) =>
      startCommand([...smallRun, ...words, '--out', to]),
    );
    expect(code, output).toBe(0);
    const { run: about, parity } = await readSummary(out);
    const { cores } = await pinning('on', 1);
    expect(about.environment.pinning).toBe(
      `load client on ${cores?.client.list}, servers on ${cores?.servers.list}`,
    );
    const trials = (await readArtifacts(out)).trials.filter(isPassed);
    expect(trials).toHaveLength(2);
    for (const trial of trials) {
      const { client = '', servers = [] } = trial.cores ?? {};
      expect(servers).toHaveLength(1);
      expect(processorsIn(client).length).toBeGreaterThan(0);
      expect(processorsIn(servers.join()).filter((one) => processorsIn(client).includes(one))).toEqual([]);
      expect(processorsIn([client, ...servers].join())).toEqual(processorsIn(all ?? ''));
    }
    const line = parity.find(({ subject }) => subject === 'processors of load client and servers');
    expect(new Set(Object.values(line?.values ?? {}))).toEqual(
      new Set([`client ${trials[0]?.cores?.client}, servers ${trials[0]?.cores?.servers.join()}`]),
    );
  },
);

test.skipIf(!isPinnable)(
  'with --cores the kernel lists so many processors for every server process, and the load client has the others',
  {
    timeout: runMsMax,
    meta: { whySkipped: 'processes cannot be pinned here: not Linux, or one processor' },
  },
  async () => {
    const words = ['--systems', 'sqlite-drizzle,postgres-driver', '--trials', '1', '--cores', '1,2'];
    const { out, code, output } = await measured(scratch, (to) =>
      startCommand([...smallRun, ...words, '--out', to]),
    );
    expect(code, output).toBe(0);
    const { cells, comparisons, parity, sweeps = [] } = await readSummary(out);
    const trials = (await readArtifacts(out)).trials.filter(isPassed);
    const whole = processorsIn(all ?? '');
    for (const { id, cores = 0 } of cells) {
      const { client = '', servers = [] } = trials.find(({ cellId }) => cellId === id)?.cores ?? {};
      expect(servers, id).toHaveLength(1);
      const own = processorsIn(servers.join());
      expect(own).toHaveLength(cores);
      const others = whole.filter((one) => !own.includes(one));
      expect(processorsIn(client)).toEqual(others.length === 0 ? whole : others);
    }
    expect(cells.map(({ cores }) => cores)).toEqual([1, 2, 1, 2]);
    // Only equal numbers of processors are compared.
    expect(new Set(comparisons.map(({ cores }) => cores))).toEqual(new Set([1, 2]));
    expect(comparisons).toHaveLength(2);
    const line = parity.find(({ subject }) => subject === 'processors of the servers');
    expect(line).toMatchObject({ holds: true, values: { 'postgres-driver': '1 and 2' } });
    // Two points make no law: only what was measured is shown.
    expect(
      sweeps.map(({ parameter, curves }) => [parameter, curves.map(({ points }) => points.length)]),
    ).toEqual([['cores', [2, 2]]]);
  },
);

test('a server that is not started here cannot have processors of its own, with the reason', async () => {
  const cell = { ...present(planOf({ targets: ['alpha-http'] }).cells[0]), cores: 1 };
  const cores = await CellCores.of([cell], await pinning('off', 1));
  for (const provider of ['url', 'docker'] as const)
    expect(cores.lack(cell, factsOf('alpha', { provider }))?.reason).toContain(
      `not started here (${provider})`,
    );
  expect(cores.lack({ ...cell, cores: undefined }, factsOf('alpha', { provider: 'url' }))).toBeNull();
});

test.skipIf(!isPinnable)(
  'a cell that names no processors has all of them again after one that names some',
  { meta: { whySkipped: 'processes cannot be pinned here: not Linux, or one processor' } },
  async () => {
    const free = present(planOf({ targets: ['alpha-http'] }).cells[0]);
    const cores = await CellCores.of([free, { ...free, cores: 1 }], await pinning('off', 1));
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    try {
      const { pid = 0 } = child;
      const servers = [{ role: 'database', pid }] as const;
      await cores.move({ ...free, cores: 1 }, servers);
      expect(processorsIn(allowedCores(String(pid)) ?? '')).toHaveLength(1);
      await cores.move(free, servers);
      expect(allowedCores(String(pid))).toBe(all);
    } finally {
      child.kill('SIGKILL');
    }
  },
);

test('off, and auto on fewer than four processors, pin nothing and give the reason', async () => {
  expect(await pinning('off', 1)).toEqual({
    cores: null,
    words: 'load client and servers share all processors: not requested',
  });
  const automatic = await pinning('auto', 1);
  const few = processorsIn(all ?? '').length < 4;
  expect(automatic.cores === null).toBe(few);
  expect(automatic.words).toMatch(few ? /--pin on/ : /load client on \d/);
});

test(
  'without taskset on PATH the fact says so, with the remedy',
  async () => {
    const words = ['--systems', 'null-http', '--trials', '1', '--pin', 'on'];
    const environment = { ...process.env, PATH: join(scratch, 'nothing') };
    const { out, code, output } = await measured(scratch, (to) =>
      startCommand([...smallRun, ...words, '--out', to], environment),
    );
    expect(code, output).toBe(0);
    const { run: about } = await readSummary(out);
    expect(about.environment.pinning).toMatch(
      /share all processors: .*(taskset on PATH; install util-linux|cores)/,
    );
  },
  runMsMax,
);

/** `0,2-3` as 0, 2, 3. */
function processorsIn(list: string): readonly number[] {
  return list
    .split(',')
    .flatMap((part) => {
      const [from = '', to = from] = part.split('-');
      return from === ''
        ? []
        : Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at);
    })
    .toSorted((a, b) => a - b);
}
