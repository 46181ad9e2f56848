import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { startConvexProtocolDouble } from './support/index.ts';

const main = fileURLToPath(new URL('../../runner/src/main.ts', import.meta.url));
const testTimeoutMs = 90_000;
const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-convex-secrets-'));
// It refuses the push, so that the run ends before anything is measured: a double has no result.
const double = await startConvexProtocolDouble({ refusePush: (key) => `no room for ${key}` });
afterAll(async () => {
  await double.close();
  await rm(scratch, { recursive: true });
});

/** The whole key, and its secret half. */
const secrets = [double.adminKey, double.adminKey.split('|')[1] ?? double.adminKey];

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

async function command(words: readonly string[], adminKey: string | null): Promise<Ended> {
  const { PATH = '' } = process.env;
  const env = {
    PATH,
    HOME: scratch,
    // Other tests measure at the same time.
    FAIR_BENCH_SHARE_HOST: '1',
    ...(adminKey === null ? {} : { CONVEX_SELF_HOSTED_ADMIN_KEY: adminKey }),
  };
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...words],
      { timeout: testTimeoutMs, env },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}

const run = `fair-bench --systems convex-http,convex-sdk,null-http --url convex=${double.url} --alpha 0.5 --depth 1 --sessions 2 --accounts 100 --duration 300ms --warmup 100ms --trials 1 --measure-again 0`;

test('no log, plan, result or message of a run has the admin key', { timeout: testTimeoutMs }, async () => {
  const out = mkdtempSync(join(scratch, 'run-'));
  const { output } = await command([...run.split(' '), '--out', out], double.adminKey);
  // The refusal was reported, so there was a key to leave out.
  const texts = { output, ...(await textsBelow(out)) };
  expect(Object.keys(texts)).toEqual(expect.arrayContaining(['output', 'plan.json', 'summary.json']));
  expect(JSON.stringify(texts)).toContain('no room for ***');
  for (const [name, text] of Object.entries(texts)) {
    for (const secret of secrets) expect(text.includes(secret), name).toBe(false);
  }
  expect(double.pushes()).toEqual([]);
  expect(double.requests().filter((request) => request.includes('/transfer'))).toEqual([]);
});

test('a key that the deployment refuses is not shown either', { timeout: testTimeoutMs }, async () => {
  const wrong = 'double|99999999deadbeef';
  const { output } = await command([...run.split(' '), '--out', join(scratch, 'refused')], wrong);
  expect(output).toContain('BadAdminKey');
  expect(output).not.toContain('99999999deadbeef');
});

test('without a key the message names its variable', { timeout: testTimeoutMs }, async () => {
  const { output } = await command([...run.split(' '), '--out', join(scratch, 'none')], null);
  expect(output.replaceAll(/\s+/g, ' ')).toContain('CONVEX_SELF_HOSTED_ADMIN_KEY');
});

async function textsBelow(folder: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    texts[path.slice(folder.length + 1)] = await readFile(path, 'utf8');
  }
  return texts;
}
