import { chmod, cp, mkdtemp, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A PostgreSQL whose log lies in memory, though its data lie on a disk. */
export interface LogInMemory {
  /** Of its server. */
  readonly program: string;
  readonly remove: () => Promise<void>;
}

/** The programs of a server that runs, except for one: its `initdb` gives the log a place of its own. */
export async function keepsItsLogInMemory(pid: number): Promise<LogInMemory> {
  const folder = await mkdtemp('/var/tmp/fair-bench-log-in-memory-');
  // The server's user makes it.
  const log = join('/dev/shm', basename(folder));
  await chmod(folder, 0o755);
  const native = join(folder, 'native');
  await cp(dirname(dirname(await readlink(`/proc/${pid}/exe`))), native, {
    recursive: true,
    verbatimSymlinks: true,
  });
  const initdb = join(native, 'bin', 'initdb');
  await rename(initdb, `${initdb}-honest`);
  await writeFile(initdb, `#!/bin/sh\nexec "$0-honest" --waldir=${log} "$@"\n`, { mode: 0o755 });
  return {
    program: join(native, 'bin', 'postgres'),
    async remove() {
      await rm(folder, { recursive: true, force: true });
      await rm(log, { recursive: true, force: true });
    },
  };
}
