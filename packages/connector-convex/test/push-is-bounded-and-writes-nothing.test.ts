import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { adminApi } from '../src/admin-api.ts';
import { AdminKey } from '../src/admin-key.ts';
import { deployFunctions } from '../src/deploy.ts';
import {
  type ConvexProtocolDouble,
  type DoubleOptions,
  startConvexProtocolDouble,
} from './support/convex-protocol-double.ts';
import { transfers } from './support/transfers.ts';

/** The bundled files; not the folders above, whose node_modules link to each other. */
const sources = [
  fileURLToPath(new URL('../../../rpc-servers/convex/src/', import.meta.url)),
  transfers.folder,
];
const testTimeoutMs = 60_000;
let double: ConvexProtocolDouble | undefined;
afterEach(async () => {
  await double?.close();
  double = undefined;
});

async function push(options: DoubleOptions = {}): Promise<ConvexProtocolDouble> {
  double = await startConvexProtocolDouble(options);
  const api = adminApi(double.url, new AdminKey(double.adminKey));
  await deployFunctions(api, 'self-hosted', transfers, AbortSignal.timeout(testTimeoutMs));
  return double;
}

test(
  'the command line bundles and pushes every module of ours, and writes nothing here',
  { timeout: testTimeoutMs },
  async () => {
    const before = await written(sources);
    const pushes = (await push()).pushes();
    expect(pushes).toHaveLength(1);
    const modules = [...(pushes[0]?.keys() ?? [])].filter((path) => !path.startsWith('_deps/'));
    expect(modules).toEqual(
      expect.arrayContaining(['tables.js', 'deployment.js', 'http.js', 'operations.js', 'schema.js']),
    );
    expect(await written(sources)).toEqual(before);
  },
);

test('a refused push has the deployment’s message, without the key', { timeout: testTimeoutMs }, async () => {
  const refusal = push({ refusePush: (key) => `no room for ${key}` });
  const error: unknown = await refusal.catch((reason: unknown) => reason);
  if (!(error instanceof Error)) throw new Error('the push was taken');
  expect(error.message).toMatch(
    /convex deploy to http:\/\/127\.0\.0\.1:\d+ ended with 1: [^]*no room for \*\*\*/,
  );
  const key = double?.adminKey ?? '';
  expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(key.split('|')[1]);
});

test('a deployment with functions of someone else is not touched', async () => {
  const foreign = push({ foreignFunctions: ['messages.js:list', 'tables.js:page'] });
  await expect(foreign).rejects.toThrow('functions that are not ours (messages)');
  expect(double?.pushes()).toEqual([]);
});

test('an abort ends the command', { timeout: testTimeoutMs }, async () => {
  double = await startConvexProtocolDouble();
  const api = adminApi(double.url, new AdminKey(double.adminKey));
  const stopping = new AbortController();
  const pushing = deployFunctions(api, 'self-hosted', transfers, stopping.signal);
  setTimeout(() => stopping.abort(), 300);
  await expect(pushing).rejects.toThrow(/convex deploy .* ended with ABORT_ERR/);
});

/** Every file of some folders, with the time of its last change. */
async function written(folders: readonly string[]): Promise<Record<string, number>> {
  const files: Record<string, number> = {};
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      files[path] = (await stat(path)).mtimeMs;
    }
  }
  return files;
}
