import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { defaultTargetSettings } from '@fair-bench/contract';
import { startPostgres, type PostgresService } from '@fair-bench/connector-postgres';
import { createSupervisor, type RunSupervisor } from '@fair-bench/supervisor';
import { readSummary, smallRun, startCommand, type RunningCommand } from './support/command.ts';
import { measured } from './support/measured.ts';

/**
 * A double of the docker command: records its calls, reports a stack whose database is a real PostgreSQL started by
 * the test, and fails on request. It replaces the engine that test machines lack.
 */
const dockerDouble = `#!/bin/sh
echo "$*" >> "$DOCKER_DOUBLE_LOG"
case "$*" in
  version*)
    if [ "$DOCKER_DOUBLE_FAILS" = engine ]; then echo 'Cannot connect to the Docker daemon' >&2; exit 1; fi
    echo 28.2.2 ;;
  *config*)
    if [ -z "$POSTGRES_PASSWORD" ]; then echo 'required variable POSTGRES_PASSWORD is missing a value' >&2; exit 1; fi
    cat "$DOCKER_DOUBLE_CONFIG" ;;
  *' up '*)
    if [ "$DOCKER_DOUBLE_FAILS" = up ]; then printf 'Container starting\\nport is already allocated\\n' >&2; exit 1; fi ;;
esac
`;

let folder: string;
let supervisor: RunSupervisor;
let database: PostgresService;
let environment: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fair-bench-docker-'));
  supervisor = createSupervisor({ logDirectory: folder });
  database = await startPostgres({
    target: 'in-a-container',
    options: {
      ...defaultTargetSettings,
      workload: null,
      poolSize: 50,
      sessionsMax: 50,
      depthMax: 1,
      threadsMax: 1,
      batchMax: 1,
    },
    supervisor,
    signal: AbortSignal.timeout(60_000),
    shared: async (_key, start) => await start(),
  });
  const labelled = (system: string, url: string) => ({
    labels: { 'fair-bench.system': system, 'fair-bench.url': url },
  });
  const stack = {
    services: {
      database: labelled('postgres', database.url),
      other: labelled('another-system', 'http://127.0.0.1:1'),
      runner: {},
    },
  };
  await writeFile(join(folder, 'docker'), dockerDouble);
  await chmod(join(folder, 'docker'), 0o755);
  await writeFile(join(folder, 'stack.json'), JSON.stringify(stack));
});

beforeEach(async () => {
  environment = {
    PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
    DOCKER_DOUBLE_LOG: join(folder, 'calls.log'),
    DOCKER_DOUBLE_CONFIG: join(folder, 'stack.json'),
    DOCKER_DOUBLE_FAILS: '',
  };
  await writeFile(join(folder, 'calls.log'), '');
});

afterAll(async () => {
  await database.close();
  await supervisor.stopAll();
  await rm(folder, { recursive: true, force: true });
});

const start = (...words: readonly string[]): RunningCommand =>
  startCommand([...smallRun, '--provider', 'docker', ...words], { ...process.env, ...environment });

/** The calls of the double, without the words that all of them begin with. */
async function calls(): Promise<readonly string[]> {
  const text = await readFile(join(folder, 'calls.log'), 'utf8');
  const common = /^compose --project-name fair-bench-[0-9a-f]{8} --file \S+docker-compose-fair\.yml /;
  return text
    .trim()
    .split('\n')
    .map((line) => line.replace(common, ''));
}

test('it starts what the run needs, measures it, and takes it down with its data', async () => {
  const { out, code, output } = await measured(folder, async (to) => {
    await writeFile(join(folder, 'calls.log'), '');
    return start('--systems', 'postgres-driver,sqlite-drizzle', '--trials', '1', '--out', to);
  });
  expect(code, output).toBe(0);
  const { cells } = await readSummary(out);
  expect(cells.map(({ target, status }) => `${target} ${status}`)).toEqual([
    'postgres-driver ok',
    'sqlite-drizzle ok',
  ]);
  expect(await calls()).toEqual([
    'version --format {{.Server.Version}}',
    '--profile * config --format json',
    'up --detach --wait database',
    '--profile * down --volumes --timeout 5',
  ]);
}, 150_000);

test('a stack that does not start ends in one line with the reason, and is taken down', async () => {
  environment['DOCKER_DOUBLE_FAILS'] = 'up';
  const command = start('--systems', 'postgres-driver', '--out', join(folder, 'none'));
  expect(await command.ended).toBe(2);
  expect(command.output()).toMatch(/^fair-bench: --provider: got "docker".*; port is already allocated\n$/);
  expect((await calls()).at(-1)).toContain('down --volumes');
});

test('no engine, no docker command and no service for the run are each reported with a remedy', async () => {
  environment['DOCKER_DOUBLE_FAILS'] = 'engine';
  const withoutEngine = start('--systems', 'postgres-driver');
  expect(await withoutEngine.ended).toBe(2);
  expect(withoutEngine.output()).toMatch(/Cannot connect to the Docker daemon; install Docker with Compose/);

  environment['DOCKER_DOUBLE_FAILS'] = '';
  const withoutService = start('--systems', 'sqlite-drizzle');
  expect(await withoutService.ended).toBe(2);
  expect(withoutService.output()).toMatch(/has postgres, another-system, and this run uses none of them/);

  environment['PATH'] = join(folder, 'empty');
  const withoutDocker = start('--systems', 'postgres-driver');
  expect(await withoutDocker.ended).toBe(2);
  expect(withoutDocker.output()).toMatch(/docker is not installed; install Docker with Compose/);
});
