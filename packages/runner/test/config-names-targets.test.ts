import { mkdtempSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listingSchema } from '../src/list/listing.ts';
import { inTestAll } from '@fair-bench/contract/test-support';
import { defaultTargetSettings } from '@fair-bench/contract';
import { startPostgres, type PostgresService } from '@fair-bench/connector-postgres';
import { createSupervisor, type RunSupervisor } from '@fair-bench/supervisor';
import { Client } from 'pg';
import { z } from 'zod';
import { readSummary, smallRun, startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';
import { runInOneProcess } from './support/commands-in-one-process.ts';

/** Characters that a URL must escape, so that both forms can be searched. */
const password = 'open/sesame:7731@"quoted"';
const passwordVariable = 'SUPABASE_PASSWORD_OF_A_TEST';
const needles = [password, encodeURIComponent(password), JSON.stringify(password).slice(1, -1), 'sesame'];

let folder: string;
let supervisor: RunSupervisor;
let theirs: PostgresService;
let configPath: string;
const withPassword = { ...process.env, [passwordVariable]: password };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fair-bench-config-'));
  supervisor = createSupervisor({ logDirectory: folder });
  theirs = await startPostgres({
    target: 'their-postgres',
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
  const client = new Client({ connectionString: theirs.url });
  await client.connect();
  await client.query(`CREATE ROLE tenant LOGIN PASSWORD '${password}'`);
  await client.query('CREATE DATABASE app OWNER tenant');
  await client.end();
  const { host } = new URL(theirs.url);
  configPath = await writeConfig('config.ts', {
    supabase: {
      connector: 'postgres-storedproc',
      system: 'Supabase',
      url: `postgres://tenant@${host}/app`,
      secrets: { password: { fromEnvironment: passwordVariable } },
    },
  });
});

afterAll(async () => {
  await theirs.close();
  await supervisor.stopAll();
  await rm(folder, { recursive: true, force: true });
});

async function writeConfig(name: string, targets: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `export default ${JSON.stringify({ targets })};\n`);
  return path;
}

/** Every file below a folder, with its text. */
async function filesOf(directory: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(path, 'latin1')] as const)),
  );
}

function demandNoSecret(where: string, text: string): void {
  for (const needle of needles) expect(text.includes(needle), `${where} has ${needle}`).toBe(false);
}

describe('a run against a configured target', () => {
  test('measures it under its name, beside a local one, and never prints its secret', async () => {
    const words = [
      '--config',
      configPath,
      '--systems',
      'supabase,sqlite-embedded',
      '--trials',
      '1',
      '--processes',
      '1',
    ];
    const { out, code, output } = await measured(folder, (to) =>
      startCommand([...smallRun, ...words, '--out', to], withPassword),
    );
    expect(code, output).toBe(0);
    const summary = await readSummary(out);
    const [cell] = summary.cells.filter(({ target }) => target === 'supabase');
    expect(cell).toMatchObject({ status: 'ok', system: 'supabase', audit: { status: 'passed' } });
    expect(summary.run.environment.roundTrips).toEqual([
      {
        target: 'supabase',
        tcpConnectMsMin: expect.any(Number),
        samples: expect.any(Number),
        statementMs: { p50: expect.any(Number), p99: expect.any(Number), samples: expect.any(Number) },
      },
    ]);
    demandNoSecret('the output', output);
    const files = await filesOf(out);
    expect(files.size).toBeGreaterThan(8);
    for (const [path, text] of files) demandNoSecret(path, text);
    expect(files.get(join(out, 'plan.json'))).toContain('postgres://tenant:***@');
  }, 200_000);

  test('that refuses the password ends in one line without the password, as bad input', async () => {
    const wrong = { ...withPassword, [passwordVariable]: `${password}-but-wrong` };
    const out = mkdtempSync(join(folder, 'refused-'));
    const words = ['--config', configPath, '--systems', 'supabase', '--out', out];
    const command = startCommand([...smallRun, ...words], wrong);
    expect(await command.ended).toBe(2);
    expect(command.output()).toMatch(/^fair-bench: supabase: .*password authentication failed.*\n$/);
    demandNoSecret('the output', command.output());
  });

  inTestAll(() => {
    test('that loses its database during a run voids trials, and still never prints its secret', async () => {
      const out = mkdtempSync(join(folder, 'lost-'));
      const words = [
        '--config',
        configPath,
        '--systems',
        'supabase',
        '--out',
        out,
        '--trials',
        '3',
        '--processes',
        '1',
      ];
      const command = startCommand([...smallRun, ...words], withPassword);
      await command.saw('tps, audit passed');
      const client = new Client({ connectionString: theirs.url });
      await client.connect();
      await client.query('ALTER ROLE tenant NOLOGIN');
      await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tenant'`);
      expect(await command.ended).toBe(1);
      await client.query('ALTER ROLE tenant LOGIN');
      await client.end();
      demandNoSecret('the output', command.output());
      for (const [path, text] of await filesOf(out)) demandNoSecret(path, text);
    }, 90_000);
  });
});

describe('the list', () => {
  test('has the configured target, available where the environment has its secret', async () => {
    const rowIn = async (environment: NodeJS.ProcessEnv) => {
      const command = startCommand(['list', '--json', '--config', configPath], environment);
      expect(await command.ended).toBe(0);
      demandNoSecret('the list', command.output());
      const rows = z.array(listingSchema).parse(JSON.parse(command.output()));
      expect(rows.map(({ target }) => target)).toContain('postgres-storedproc@bun');
      return rows.find(({ target }) => target === 'supabase');
    };
    expect(await rowIn(withPassword)).toMatchObject({ available: true, system: 'supabase', version: '18.4' });
    expect(await rowIn(process.env)).toMatchObject({
      available: false,
      reason: `the environment does not have ${passwordVariable}`,
    });
  });
});

describe('bad input ends in one line that names the file and the place', () => {
  const cases: Record<string, readonly [targets: unknown, said: RegExp]> = {
    'an unknown connector': [
      { a: { connector: 'postgres-drizle' } },
      /targets\.a\.connector: .*did you mean/,
    ],
    'a password in the file': [
      { a: { connector: 'postgres-drizzle', url: 'postgres://u:sesame@h/d' } },
      /targets\.a\.url: accepts a URL without a password/,
    ],
    'an unknown option': [
      { a: { connector: 'postgres-drizzle', options: { speed: 'high' } } },
      /targets\.a\.options/,
    ],
    'the name of a connector': [
      { 'postgres-driver': { connector: 'postgres-drizzle' } },
      /name of a connector/,
    ],
    'no URL': [
      { a: { connector: 'postgres-drizzle', url: 'sesame' } },
      /targets\.a\.url: accepts a complete URL/,
    ],
  };
  const invalidUrl = 'postgres=postgres://u:open-sesame@h:999999/x';

  test('a mistake in the file, a missing file, and an invalid URL, which keeps its password to itself', async () => {
    const mistakes = await Promise.all(
      Object.entries(cases).map(async ([what, [targets, said]], index) => ({
        what,
        said,
        path: await writeConfig(`bad-${index}.ts`, targets),
      })),
    );
    const ended = await runInOneProcess([
      ...mistakes.map(({ path }) => ['list', '--config', path]),
      ['list', '--config', join(folder, 'none.ts')],
      [...smallRun, '--url', invalidUrl],
    ]);
    expect(ended.map(({ code }) => code)).toEqual(ended.map(() => 2));
    for (const [index, { what, said, path }] of mistakes.entries()) {
      const output = ended[index]?.stderr ?? '';
      expect(output, what).toMatch(/^fair-bench: [^\n]+\n$/);
      expect(output, what).toMatch(said);
      expect(output, what).toContain(path);
    }
    expect(ended.at(-2)?.stderr).toContain('--config: got');
    for (const { stdout, stderr } of ended) demandNoSecret('the message', stdout + stderr);
  });
});
