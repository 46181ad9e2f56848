import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../src/commands/run-command.ts';
import { parseRunOptions, runDefaults } from '../src/options/run-options.ts';
import { InputError } from '@fair-bench/contract';

let root: string;

/** A workspace of doubles: a connector that is never available, and a workload that accepts everything. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'fair-bench-probe-'));
  addPackage(
    'connector-double',
    {
      kind: 'connector',
      contract: 2,
      system: 'double',
      routes: { driver: { clients: {}, factors: { hop: 'none', dataAccess: 'stored-procedure' } } },
    },
    `export default {
      system: 'double',
      fairProfile: [],
      routes: { driver: {
      probe: async ({ url, extra }) => {
        if (extra.delayMs === 'slow') throw new Error('delayMs: got "slow"; accepts a number');
        return { available: false, reason: 'no answer at ' + (url ?? 'home'), remedy: 'start it' };
      },
      provision: async () => { throw new Error('provisioned'); },
      } },
    };`,
  );
  const workload = join(root, 'workloads', 'transfer');
  mkdirSync(workload, { recursive: true });
  const transfer = import.meta.resolve('../../../workloads/transfer/workload.ts');
  writeFileSync(join(workload, 'workload.ts'), `export { default } from '${transfer}';`);
  writeFileSync(join(workload, 'double.ts'), '');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function addPackage(folder: string, fairBench: unknown, module: string): void {
  const directory = join(root, 'packages', folder);
  mkdirSync(join(directory, 'src'), { recursive: true });
  const manifest = { type: 'module', exports: { '.': './src/index.ts' }, fairBench };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(directory, 'src', 'index.ts'), module);
}

async function refusal(texts: Record<string, unknown>): Promise<string> {
  const out = join(mkdtempSync(join(root, 'out-')), 'run');
  const flags = { strict: false, url: [], set: [] };
  const options = parseRunOptions({ ...runDefaults, ...flags, out, ...texts });
  const error: unknown = await runCommand({
    root,
    options,
    command: ['fair-bench'],
    dataDirectory: null,
  }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InputError);
  expect(existsSync(out)).toBe(false);
  return error instanceof Error ? error.message : '';
}

describe('before anything is started or made', () => {
  test('an endpoint of the user that does not answer is bad input', async () => {
    expect(await refusal({ url: ['double=double://me:hush@nowhere/x'] })).toMatch(
      /^--url: got "double=double:\/\/me:\*\*\*@nowhere\/x"; accepts an endpoint that answers; double-driver: no answer at .*; start it$/,
    );
  });

  test('targets that are named and all unavailable are bad input', async () => {
    expect(await refusal({ systems: 'double-driver' })).toBe(
      '--systems: got "double-driver"; accepts a target that is available here; double-driver: no answer at home; start it',
    );
  });

  test('a setting that the connector refuses is bad input', async () => {
    expect(await refusal({ set: ['double-driver.delayMs=slow'] })).toMatch(
      /^--set: got "double-driver.delayMs=slow"; .* delayMs: got "slow"; accepts a number/,
    );
  });
});
