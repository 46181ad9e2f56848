import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedBinaries, reachableBinaries } from '../../../connector-postgres/src/binaries.ts';
import { answers } from './nats-server.ts';

/** PostgreSQL refuses to run as root. */
const nobody = { uid: 65_534, gid: 65_534 };
const asNobody = ['setpriv', `--reuid=${nobody.uid}`, `--regid=${nobody.gid}`, '--clear-groups'];
const port = 5432;

/** A real PostgreSQL on its own machine, with access for everyone. */
export class PostgresMachine {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(host: string, child: ChildProcess, folder: string) {
    this.url = `postgres://postgres:s3cret-of-the-database@${host}:${port}/postgres`;
    this.#child = child;
    this.#folder = folder;
  }

  static async start({
    host,
    prefix,
  }: {
    readonly host: string;
    readonly prefix: readonly string[];
  }): Promise<PostgresMachine> {
    const folder = await mkdtemp(join(tmpdir(), 'fair-bench-pg-'));
    await chown(folder, nobody.uid, nobody.gid);
    const bin = await reachableBinaries(embeddedBinaries().nativeDirectory, folder, nobody);
    const data = join(folder, 'data');
    const initdb = [join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'];
    run([...asNobody, ...initdb]);
    await appendFile(join(data, 'pg_hba.conf'), 'host all all samenet trust\n');
    const server = [join(bin, 'postgres'), '-D', data, '-h', host, '-p', String(port), '-k', folder];
    const [command = '', ...words] = [...prefix, ...asNobody, ...server];
    const child = spawn(command, words, { stdio: 'ignore' });
    while (!(await answers(host, port))) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended with code ${child.exitCode}`);
      await sleep(100);
    }
    return new PostgresMachine(host, child, folder);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGQUIT');
      await once(this.#child, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function run([command = '', ...words]: readonly string[]): void {
  execFileSync(command, words, { stdio: ['ignore', 'ignore', 'pipe'] });
}
