import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findProgram } from '@fair-bench/supervisor';
import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, expect, test } from 'vitest';
import { honestRun } from './support/honest-run.ts';

const testTimeoutMs = 100_000;
const found = await findProgram({ system: 'mariadb', names: ['mariadbd'] });
/** Where its files are, which its link on PATH may not say. */
const real = found === null ? null : await realpath(found);
const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-flush-method-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

/** A server program that starts the real one with a flush method, beside the real one's files. */
async function programWith(method: string): Promise<string> {
  const base = await mkdtemp(join(scratch, `${method}-`));
  await mkdir(join(base, 'sbin'));
  // Started by root, the server has a user of its own.
  for (const folder of [scratch, base]) await chmod(folder, 0o755);
  for (const folder of ['share', 'bin', 'lib'])
    await symlink(join(dirname(dirname(real ?? '')), folder), join(base, folder));
  const program = join(base, 'sbin', 'mariadbd');
  await writeFile(program, `#!/bin/sh\nexec '${real}' "$@" --innodb-flush-method=${method}\n`);
  await chmod(program, 0o755);
  return program;
}

// Those of Linux that flush; with O_DSYNC no flush follows the write of the log, which is one.
test.for(chosen(['fsync', 'O_DSYNC', 'O_DIRECT', 'O_DIRECT_NO_FSYNC'], (one) => one === 'O_DSYNC'))(
  'an honest MariaDB with innodb_flush_method %s is measured, and its flushes are counted',
  { timeout: testTimeoutMs },
  async (method, { skip }) => {
    if (real === null) skip('MariaDB is not installed; install mariadb-server 10.6 or later');
    const system = ['--systems', `mariadb-driver[program=${await programWith(method)}]`];
    const { cell, perFlush } = await honestRun(scratch, system);
    expect(cell?.status === 'ok' && cell.facts.settings['innodb_flush_method']).toBe(method);
    // Of 8 sessions with one operation in flight each, a flush covers one at least and all at most; InnoDB flushes pages too.
    expect(perFlush).toBeGreaterThan(0.3);
    expect(perFlush).toBeLessThan(9);
  },
);
