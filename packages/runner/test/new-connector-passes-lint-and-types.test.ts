import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadConnector } from '../src/discover/load.ts';
import { discover } from '../src/discover/workspace.ts';
import { createConnectorPackage } from '../src/new-connector/index.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const system = 'quite-a-long-system-name';
const name = `${system}-storedproc`;
const sqlSystem = 'speaks-sql';
const embeddedSystem = 'runs-inside';
const keyValueSystem = 'has-keys';
let root: string;
let folder: string;
/** Tools that walk folders would also walk into the linked packages. */
let sources: string[];

/** A workspace of one package, with the repository's own tools, settings and shared packages. */
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'fair-bench-new-connector-'));
  folder = join(root, 'packages', `connector-${system}`);
  const folderOf = (of: string): string => join(root, 'packages', `connector-${of}`);
  const ofSql = folderOf(sqlSystem);
  const [embedded, keyValue] = [folderOf(embeddedSystem), folderOf(keyValueSystem)];
  sources = [folder, ofSql, embedded, keyValue].flatMap((each) => [join(each, 'src'), join(each, 'test')]);
  mkdirSync(join(root, 'packages'));
  for (const file of ['tsconfig.json', '.oxlintrc.json', '.prettierrc.json']) {
    cpSync(join(repository, file), join(root, file));
  }
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  await createConnectorPackage(root, name);
  await createConnectorPackage(root, `${sqlSystem}-driver`, 'sql');
  for (const shared of ['contract', 'conformance', 'session', 'sql', 'supervisor']) link(folder, shared);
  for (const shared of ['contract', 'conformance', 'sql']) link(ofSql, shared);
  await createConnectorPackage(root, `${embeddedSystem}-embedded`, 'embedded');
  for (const shared of ['contract', 'conformance', 'rpc', 'sql']) link(embedded, shared);
  await createConnectorPackage(root, `${keyValueSystem}-driver`, 'key-value');
  for (const shared of ['contract', 'conformance', 'key-value']) link(keyValue, shared);
  const ofSupervisor = join(repository, 'packages', 'supervisor', 'node_modules');
  symlinkSync(join(ofSupervisor, 'zod'), join(folder, 'node_modules', 'zod'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function link(from: string, shared: string): void {
  const path = join(from, 'node_modules', '@fair-bench', shared);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(repository, 'packages', shared), path);
}

interface Ended {
  readonly code: number | string | null | undefined;
  readonly output: string;
}

async function tool(script: string, ...words: string[]): Promise<Ended> {
  const path = join(repository, 'node_modules', script);
  return await new Promise((resolve) => {
    execFile(process.execPath, [path, ...words], { cwd: root, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, output: stdout + stderr });
    });
  });
}

/** The skeleton with only `probe` and `provision` filled in. */
const connectorThatStarts = `import { defineConnector } from '@fair-bench/contract';
import { createDeployment } from './deployment.ts';

const server = {
  url: 'http://127.0.0.1:9',
  provider: 'url' as const,
  processes: [],
  storage: { directory: null, fileSystem: 'unknown' },
  check: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

export default defineConnector({
  system: '${system}',
  fairProfile: [],
  routes: {
    storedproc: {
      probe: () => Promise.resolve({ available: true, provider: 'url', version: null }),
      provision: (context) => Promise.resolve(createDeployment(context, server)),
    },
  },
});
`;

/** What the test run of the package says. */
async function conformanceOf(path: string, environment: Record<string, string> = {}): Promise<string> {
  for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
  const reporters = ['default', join(repository, 'scripts', 'plain-counts-reporter.ts')];
  const { output } = await tool(
    'vitest/vitest.mjs',
    'run',
    '--root',
    root,
    '--no-color',
    '--experimental.viteModuleRunner=false',
    ...reporters.map((reporter) => `--reporter=${reporter}`),
    path,
  ).finally(() => vi.unstubAllEnvs());
  return output;
}

describe('the package that new-connector writes', () => {
  test('is found by its manifest and loads', async () => {
    const { connectors } = await discover(root);
    expect(connectors.map((found) => [found.name, found.manifest.system, found.manifest.route])).toEqual([
      [`${keyValueSystem}-driver`, keyValueSystem, 'driver'],
      [name, system, 'storedproc'],
      [`${embeddedSystem}-embedded`, embeddedSystem, 'embedded'],
      [`${sqlSystem}-driver`, sqlSystem, 'driver'],
    ]);
    for (const found of connectors) expect((await loadConnector(found)).name).toBe(found.name);
  });

  test('passes the formatter', async () => {
    expect(await tool('prettier/bin/prettier.cjs', '--check', 'packages')).toMatchObject({ code: 0 });
  }, 60_000);

  test('passes the linter with its type-aware rules, and the type checker', async () => {
    const words = ['--type-aware', '--type-check', '--deny-warnings', ...sources];
    const { code, output } = await tool('oxlint/bin/oxlint', ...words);
    expect(output).toContain('Found 0 warnings and 0 errors');
    expect(code).toBe(0);
  }, 60_000);

  test('fails conformance with messages that say what to fill in, and where', async () => {
    const output = await conformanceOf(`packages/connector-${system}`);
    expect(output).toContain(
      `${name}: fill in probe in packages/connector-${system}/src/index.ts: fill in server.ts, then`,
    );
    expect(output).toContain(
      `${name}: fill in programs in packages/connector-${system}/src/server.ts: name the`,
    );
    expect(output).toMatch(/^0 passed, [1-9]\d* failed, \d+ skipped$/m);
  }, 60_000);

  test('for SQL, leaves one file to fill in, and conformance says which at a server that was named', async () => {
    const index = join(root, 'packages', `connector-${sqlSystem}`);
    const output = await conformanceOf(index, { SPEAKS_SQL_TEST_URL: 'sql://127.0.0.1:9/' });
    expect(output).toContain(
      `speaks-sql at sql://127.0.0.1:9/ does not answer: ${sqlSystem}-driver: fill in connect in packages/connector-${sqlSystem}/src/system.ts: open`,
    );
    expect(output).toMatch(/^0 passed, [1-9]\d* failed/m);
  }, 60_000);

  test('for an embedded engine and for a key-value server, conformance says what its one file lacks', async () => {
    const embedded = await conformanceOf(join(root, 'packages', `connector-${embeddedSystem}`));
    expect(embedded).toContain(
      `${embeddedSystem}-embedded is available, and every test of it was skipped: the workload`,
    );
    const keyValue = await conformanceOf(join(root, 'packages', `connector-${keyValueSystem}`), {
      HAS_KEYS_TEST_URL: 'keys://127.0.0.1:9/',
    });
    expect(keyValue).toContain(
      `does not answer: ${keyValueSystem}-driver: fill in connect in packages/connector-${keyValueSystem}/src/system.ts: open`,
    );
    for (const output of [embedded, keyValue]) expect(output).toMatch(/^0 passed, [1-9]\d* failed/m);
  }, 60_000);

  test('then reports what its deployment lacks, once it starts', async () => {
    const index = join(folder, 'src', 'index.ts');
    const written = readFileSync(index, 'utf8');
    writeFileSync(index, connectorThatStarts);
    try {
      const output = await conformanceOf(`packages/connector-${system}`);
      for (const member of ['tables.create']) {
        expect(output).toContain(
          `${name}: fill in ${member} in packages/connector-${system}/src/deployment.ts`,
        );
      }
    } finally {
      writeFileSync(index, written);
    }
  }, 60_000);

  test('leaves no placeholder behind', () => {
    const written = sources.flatMap((path) => readdirSync(path).map((file) => join(path, file)));
    expect(written.length).toBeGreaterThan(3);
    for (const file of [join(folder, 'package.json'), ...written]) {
      expect(readFileSync(file, 'utf8')).not.toMatch(/__[A-Z]+__/);
    }
  });
});

describe('new-connector refuses', () => {
  test('an existing folder, and leaves it unchanged', async () => {
    const taken = join(root, 'packages', 'connector-taken');
    mkdirSync(taken);
    writeFileSync(join(taken, 'mine.txt'), 'mine');
    await expect(createConnectorPackage(root, 'taken-http')).rejects.toThrow(
      /NAME: got "taken-http"; .* exists; add the route to its manifest/,
    );
    expect(readdirSync(taken)).toEqual(['mine.txt']);
    rmSync(taken, { recursive: true });
  });

  test.each([
    '',
    'postgres',
    'postgres-',
    '-http',
    'Postgres-http',
    'a--http',
    '../evil-http',
    'x/y-http',
    'post gres-http',
  ])('the name %j', async (bad) => {
    await expect(createConnectorPackage(root, bad)).rejects.toThrow(/^NAME: got .* accepts <system>-<route>/);
  });
});
