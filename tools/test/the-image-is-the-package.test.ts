import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inTestAll } from '@fair-bench/contract/test-support';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { afterAll, describe, expect, test } from 'vitest';
import { pack } from '../pack/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);
const stepsMsMax = 600_000;

const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
const instructions = DockerfileParser.parse(text).getInstructions();
/** The stage that is built where none is named. */
const last = instructions.slice(instructions.findLastIndex((one) => one.getKeyword() === 'FROM'));
const argumentsOf = (keyword: string): readonly string[] =>
  last.flatMap((one) => (one.getKeyword() === keyword ? [one.getArgumentsContent() ?? ''] : []));

describe('the Dockerfile', () => {
  test('has no mistake', () => {
    expect(validate(text)).toEqual([]);
  });

  test('has the pinned Node.js, and by default the package’s command as another user than root', () => {
    const bases = instructions
      .filter((one) => one.getKeyword() === 'FROM')
      .map((one) => one.getArgumentsContent() ?? '')
      .filter((base) => base.startsWith('node:'));
    expect(bases.length).toBeGreaterThan(1);
    // Tests run on it.
    for (const base of bases) expect(base).toContain(`node:${process.versions.node}-`);
    expect(argumentsOf('USER')).toEqual(['node']);
    expect(argumentsOf('ENTRYPOINT')).toEqual(['["/node_modules/.bin/fair-bench"]']);
  });
});

inTestAll(() => {
  test(
    'its steps, run in a folder, measure a mounted workload and leave the results beside it',
    async () => {
      const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-image-'));
      afterAll(async () => await rm(scratch, { recursive: true, force: true }));
      const archive = await pack(root, scratch);
      const [copied = ''] = argumentsOf('COPY');
      const [installed = ''] = argumentsOf('RUN');
      const place = copied.split(/\s+/).at(-1) ?? '';
      expect(installed).toContain(place);
      // The runtime of the tests is the image's; what a clone sets for its own runs is not in it.
      const { NODE_COMPILE_CACHE: _cache, ...rest } = process.env;
      const environment = {
        ...rest,
        PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
        npm_config_cache: join(scratch, 'cache'),
        FAIR_BENCH_SHARE_HOST: '1',
      };
      const here = installed.replace(place, archive).replace('--prefix /', `--prefix ${scratch}`);
      await execute('sh', ['-ec', here], { env: environment, cwd: scratch });
      const command = join(scratch, 'node_modules/.bin/fair-bench');
      const bench = join(scratch, 'bench');
      await mkdir(bench);
      const run = async (cwd: string, ...words: string[]): Promise<string> =>
        (await execute(command, words, { env: environment, cwd, maxBuffer: 2 ** 24 })).stdout;
      await run(scratch, 'init');
      const small = '--trials 1 --warmup 300ms --duration 300ms --sessions 4 --processes 1'.split(' ');
      const printed = await run(bench, '--workload', 'stock', '--systems', 'sqlite-drizzle', ...small);
      expect(printed).toMatch(/results in fair-bench-results\//);
      const kept = await readdir(join(bench, 'fair-bench-results'));
      expect(kept.filter((name) => name.endsWith('-fair'))).toHaveLength(1);
    },
    stepsMsMax,
  );
});
