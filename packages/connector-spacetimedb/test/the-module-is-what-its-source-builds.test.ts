import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const build = join(root, 'native', 'spacetimedb-module', 'build.sh');
const workloads = ['transfer', 'counter', 'isolation', 'point-read'];
/** With the standard library, on a busy machine with few cores. */
const buildTimeoutMs = 1_200_000;
const options = { timeout: buildTimeoutMs, retry: 0 };

test.for(workloads)('the committed module of %s has the committed checksum', async (workload) => {
  const moduleFolder = folderOf(workload);
  const line = await readFile(join(moduleFolder, 'module.wasm.sha256'), 'utf8');
  expect(line).toBe(`${await sha256Of(join(moduleFolder, 'module.wasm'))}  module.wasm\n`);
});

// Takes minutes, and runs only with the toolchain named beside the checksum: another one gives other bytes with the
// same behaviour.
test.for(workloads)('the source of %s builds the same bytes', options, async (workload, { skip }) => {
  const moduleFolder = folderOf(workload);
  const needed = (await readFile(join(moduleFolder, 'module.wasm.toolchain'), 'utf8')).trim();
  const here = await toolchainHere();
  if (here !== needed) skip(`the module was built by ${inLine(needed)}; here is ${inLine(here)}`);
  const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-module-'));
  vi.stubEnv('CARGO_TARGET_DIR', join(scratch, 'target'));
  try {
    const built = join(scratch, 'module.wasm');
    await execute(build, [moduleFolder, built], { timeout: buildTimeoutMs });
    expect(await sha256Of(built)).toBe(await sha256Of(join(moduleFolder, 'module.wasm')));
  } finally {
    vi.unstubAllEnvs();
    await rm(scratch, { recursive: true });
  }
});

function folderOf(workload: string): string {
  return join(root, 'workloads', workload, 'spacetimedb');
}

async function toolchainHere(): Promise<string> {
  try {
    return (await execute(build, ['--toolchain'])).stdout.trim();
  } catch (error) {
    return `none: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function inLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ', ');
}

async function sha256Of(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
