import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, test, vi } from 'vitest';
import { describeConnector, describeNativeClient } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const client = fileURLToPath(new URL('client.ts', import.meta.url));
const route = routeOf(connector, 'embedded');

// The program of runs, and not one of tests alone: its C++ is compiled once.
if (process.env['CARGO_TARGET_DIR'] === join(root, 'target', 'tests')) {
  for (const name of Object.keys(process.env)) {
    if (/^CARGO_(?:TARGET_DIR|PROFILE_RELEASE_.*)$/.test(name)) vi.stubEnv(name, undefined);
  }
}
afterAll(() => vi.unstubAllEnvs());

const program = join(process.env['CARGO_TARGET_DIR'] ?? join(root, 'target'), 'release', 'engine-rocksdb');
const given = [process.env['FAIR_BENCH_ROCKSDB_BIN'], process.env['FAIR_BENCH_TEST_ROCKSDB']];
const isWanted = existsSync(program) || given.some((value = '') => value !== '');

test('its program is built here, or its build is wanted', ({ expect, skip }) => {
  if (!isWanted) skip('FAIR_BENCH_TEST_ROCKSDB=1 builds it, in many minutes of C++');
  expect(isWanted).toBe(true);
});

if (isWanted) {
  // First, because it gives the build its time.
  describeNativeClient(route, client, 'rocksdb', {}, { engine: 'rocksdb', workloads: ['transfer'] });
  // Its sessions and trials are those of the native client, above.
  describeConnector(route, client, {
    parts: ['model', 'batches', 'tables', 'kill'],
    killable: true,
    drawnOperations: 300,
  });
}
