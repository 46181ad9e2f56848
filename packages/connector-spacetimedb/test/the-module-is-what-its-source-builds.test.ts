import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';

const execute = promisify(execFile);
const moduleFolder = fileURLToPath(new URL('../../../modules/spacetimedb/', import.meta.url));
const build = join(moduleFolder, 'build.sh');
/** With the standard library, on a busy machine of few cores. */
const buildTimeoutMs = 1_200_000;

test('the committed module has the committed checksum', async () => {
  const line = await readFile(join(moduleFolder, 'fair-bench.wasm.sha256'), 'utf8');
  expect(line).toBe(`${await sha256Of(join(moduleFolder, 'fair-bench.wasm'))}  fair-bench.wasm\n`);
});

// Takes minutes, and runs only where the toolchain is the very one that is written beside the checksum: another
// gives other bytes of the same behaviour.
test('its source builds the same bytes', { timeout: buildTimeoutMs, retry: 0 }, async ({ skip }) => {
  const needed = (await readFile(join(moduleFolder, 'fair-bench.wasm.toolchain'), 'utf8')).trim();
  const here = await toolchainHere();
  if (here !== needed) skip(`the module was built by ${inLine(needed)}; here is ${inLine(here)}`);
  const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-module-'));
  vi.stubEnv('CARGO_TARGET_DIR', join(scratch, 'target'));
  try {
    const built = join(scratch, 'fair-bench.wasm');
    await execute(build, [built], { timeout: buildTimeoutMs });
    expect(await sha256Of(built)).toBe(await sha256Of(join(moduleFolder, 'fair-bench.wasm')));
  } finally {
    vi.unstubAllEnvs();
    await rm(scratch, { recursive: true });
  }
});

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
