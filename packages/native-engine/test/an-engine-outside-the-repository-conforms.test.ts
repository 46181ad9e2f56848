import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, test, vi } from 'vitest';
import { describeConnector, describeNativeClient } from '@fair-bench/conformance';
import { messageOf, routeOf } from '@fair-bench/contract';
import connector from './fixtures/connector-mydb/index.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const client = fileURLToPath(new URL('fixtures/connector-mydb/client.ts', import.meta.url));
const source = fileURLToPath(new URL('fixtures/engine-outside/mydb.rs', import.meta.url));
const buildMsMax = 20 * 60_000;

const folder = await mkdtemp(join(tmpdir(), 'fair-bench-mydb-'));
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** As the owner of an engine does it: one Rust file and one manifest, in a folder of their own, built by cargo. */
async function build(): Promise<string | null> {
  const manifest = `[package]
name = "mydb"
version = "0.1.0"
edition = "2024"

[dependencies]
fair-bench-engines = { path = "${join(root, 'native', 'engines')}", default-features = false }

# As the repository's own programs are built.
[profile.release]
lto = "thin"
codegen-units = 1
`;
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'Cargo.toml'), manifest);
  // The versions that the repository has fetched.
  await copyFile(join(root, 'Cargo.lock'), join(folder, 'Cargo.lock'));
  await copyFile(source, join(folder, 'src', 'main.rs'));
  const target = process.env['CARGO_TARGET_DIR'] ?? join(folder, 'target');
  try {
    await promisify(execFile)('cargo', ['build', '--release', '--target-dir', target], {
      cwd: folder,
      timeout: buildMsMax,
    });
  } catch (error) {
    return messageOf(error);
  }
  vi.stubEnv('FAIR_BENCH_MYDB_BIN', join(target, 'release', 'mydb'));
  return null;
}

const lack = await build();
test('an engine of one Rust file and one manifest outside the repository is built', ({ expect, skip }) => {
  if (lack?.includes('ENOENT') === true)
    skip('cargo, which builds it, is not on PATH; install Rust (https://rustup.rs)');
  expect(lack).toBe(null);
});

if (lack === null) {
  const route = routeOf(connector, 'embedded');
  describeNativeClient(route, client, 'mydb', {}, { engine: 'mydb', workloads: ['transfer'] });
  describeConnector(route, client, {
    parts: ['model', 'batches', 'tables'],
    workloads: ['transfer', 'ycsb'],
    drawnOperations: 300,
  });
}
