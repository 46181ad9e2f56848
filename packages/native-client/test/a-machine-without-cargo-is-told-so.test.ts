import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { prepareNativeClient } from '../src/index.ts';
import { command, needsNative, root } from './support/native.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'native-client-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const quiet = { signal: new AbortController().signal, onProgress: () => undefined };

test('without cargo on PATH: the reason and the remedy', async () => {
  vi.stubEnv('PATH', folder);

  expect(await prepareNativeClient({ ...quiet, root })).toEqual({
    available: false,
    reason: 'cargo, which builds the native load client, is not on PATH',
    remedy: expect.stringContaining('rustup'),
  });
});

test.skipIf(command === null)('a build that fails: what cargo said', needsNative, async () => {
  const client = await prepareNativeClient({ ...quiet, root: folder });

  expect(client).toMatchObject({
    available: false,
    reason: expect.stringMatching(/^cargo .* could not build the native load client: .*Cargo.toml/),
  });
});

test.skipIf(command === null)('an abort ends it with its reason', needsNative, async () => {
  const signal = AbortSignal.abort(new Error('the run was interrupted'));

  await expect(prepareNativeClient({ ...quiet, root, signal })).rejects.toThrow('the run was interrupted');
});
