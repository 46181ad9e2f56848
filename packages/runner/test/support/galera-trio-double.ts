import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, freePort, serverUser } from '@fair-bench/supervisor';
import { connect } from '../../../connector-mariadb/src/connection.ts';
import { LeadingProxyDouble } from './leading-proxy-double.ts';
import { eventually } from './processes.ts';

const run = promisify(execFile);
const providers = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'];
const startMsMax = 60_000;

interface Node {
  readonly directory: string;
  readonly port: number;
  /** The others reach it here. */
  readonly groupPort: number;
  /** It receives what it missed here: as a whole, and as a part. */
  readonly wholePort: number;
  readonly partPort: number;
}

/** Three real nodes of MariaDB's Galera cluster, and a double of what stands before them. */
export class GaleraTrioDouble implements AsyncDisposable {
  readonly #folder: string;
  readonly #program: string;
  readonly #provider: string;
  readonly #nodes: readonly Node[];
  /** rsync's daemon gives root's rights up, and could not write. */
  readonly #user: Awaited<ReturnType<typeof serverUser>>;
  #proxy: LeadingProxyDouble | null = null;

  private constructor(
    folder: string,
    program: string,
    provider: string,
    nodes: readonly Node[],
    user: Awaited<ReturnType<typeof serverUser>>,
  ) {
    this.#folder = folder;
    this.#program = program;
    this.#provider = provider;
    this.#nodes = nodes;
    this.#user = user;
  }

  /** What this machine lacks for it; null where it can be started. */
  static async lack(): Promise<string | null> {
    if (process.platform !== 'linux') return 'processes are found in /proc, which is Linux';
    if ((await findProgram({ system: 'mariadb', names: ['mariadbd'] })) === null)
      return 'no mariadbd is here';
    if (!providers.some((path) => existsSync(path))) return 'no galera-4 is here';
    const hasRsync = await run('rsync', ['--version']).then(
      () => true,
      () => false,
    );
    return hasRsync ? null : 'no rsync is here, by which a node receives the rows';
  }

  static async open(): Promise<GaleraTrioDouble> {
    const program = await findProgram({ system: 'mariadb', names: ['mariadbd'] });
    const provider = providers.find((path) => existsSync(path));
    if (program === null || provider === undefined) throw new Error('no Galera cluster can be started here');
    const folder = await mkdtemp('/var/tmp/fair-bench-galera-');
    const user = await serverUser('MariaDB', ['mysql']);
    if (user !== null) await chown(folder, user.uid, user.gid);
    const nodes: Node[] = [];
    for (const name of ['a', 'b', 'c']) {
      nodes.push({
        directory: join(folder, name),
        port: await freePort(),
        groupPort: await freePort(),
        wholePort: await freePort(),
        partPort: await freePort(),
      });
    }
    const trio = new GaleraTrioDouble(folder, program, provider, nodes, user);
    try {
      await trio.#start();
      return trio;
    } catch (error) {
      await trio[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Sessions connect here. */
  get url(): string {
    return urlAt(this.#proxy?.port ?? 0);
  }

  /** As in fair-bench.config.ts: killed by their ports. */
  get nodes() {
    return this.#nodes.map((node) => ({ url: urlAt(node.port), restart: this.#startOf(node, true) }));
  }

  get failovers(): number {
    return this.#proxy?.failovers ?? 0;
  }

  async #start(): Promise<void> {
    const base = dirname(dirname(this.#program));
    for (const [place, node] of this.#nodes.entries()) {
      await mkdir(node.directory);
      if (this.#user !== null) await chown(node.directory, this.#user.uid, this.#user.gid);
      const install = await findProgram({
        system: 'mariadb',
        names: ['mariadb-install-db', '../scripts/mariadb-install-db'],
        beside: this.#program,
      });
      if (install === null) throw new Error('no mariadb-install-db is here');
      await run(
        install,
        [
          '--no-defaults',
          `--basedir=${base}`,
          `--datadir=${join(node.directory, 'data')}`,
          '--auth-root-authentication-method=normal',
          '--skip-name-resolve',
          '--skip-test-db',
        ],
        this.#user === null ? {} : { uid: this.#user.uid, gid: this.#user.gid },
      );
      await run('sh', ['-c', this.#startOf(node, place > 0)]);
      await this.#until(async () => (await this.#status(node)) === `Synced ${place + 1}`);
    }
    this.#proxy = await LeadingProxyDouble.open(
      this.#nodes.map(({ port }) => port),
      async () => await Promise.resolve(),
    );
  }

  /** A command of the shell that starts a node; the first one of all founds the cluster. */
  #startOf({ directory, port, groupPort, wholePort, partPort }: Node, joins: boolean): string {
    const others = this.#nodes.map((node) => `127.0.0.1:${node.groupPort}`).join(',');
    const provider = [
      `gmcast.listen_addr=tcp://127.0.0.1:${groupPort}`,
      `ist.recv_addr=127.0.0.1:${partPort}`,
      `base_dir=${directory}`,
    ].join(';');
    const words = [
      '--no-defaults',
      `--basedir=${dirname(dirname(this.#program))}`,
      `--datadir=${join(directory, 'data')}`,
      `--tmpdir=${directory}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(directory, 'socket')}`,
      `--pid-file=${join(directory, 'pid')}`,
      '--skip-name-resolve',
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      '--wsrep-on=ON',
      `--wsrep-provider=${this.#provider}`,
      `--wsrep-provider-options='${provider}'`,
      `--wsrep-cluster-address=gcomm://${joins ? others : ''}`,
      `--wsrep-node-address=127.0.0.1:${groupPort}`,
      `--wsrep-sst-receive-address=127.0.0.1:${wholePort}`,
      '--wsrep-sst-method=rsync',
    ];
    const asUser =
      this.#user === null
        ? ''
        : `setpriv --reuid=${this.#user.uid} --regid=${this.#user.gid} --clear-groups `;
    return `${asUser}setsid ${this.#program} ${words.join(' ')} >> ${join(directory, 'log')} 2>&1 < /dev/null &`;
  }

  /** Its state and the number of nodes that it sees; empty while it does not answer. */
  async #status({ port }: Node): Promise<string> {
    const connection = await connect(urlAt(port)).catch(() => null);
    if (connection === null) return '';
    try {
      const names = "('WSREP_LOCAL_STATE_COMMENT', 'WSREP_CLUSTER_SIZE')";
      const rows = await connection.query(
        `SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME IN ${names} ORDER BY VARIABLE_NAME DESC`,
        [],
      );
      return rows.map(([value]) => String(value)).join(' ');
    } catch {
      return '';
    } finally {
      await connection.end();
    }
  }

  async #until(holds: () => Promise<boolean>): Promise<void> {
    if (await eventually(holds, startMsMax)) return;
    const logs = this.#nodes.map(async ({ directory }) =>
      (await readFile(join(directory, 'log'), 'utf8').catch(() => '')).slice(-1_500),
    );
    throw new Error(`a node of Galera did not start:\n${(await Promise.all(logs)).join('\n')}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy?.[Symbol.asyncDispose]();
    for (const { directory } of this.#nodes) {
      const pid = Number(await readFile(join(directory, 'pid'), 'utf8').catch(() => ''));
      if (pid > 0 && existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function urlAt(port: number): string {
  return `mariadb://root@127.0.0.1:${port}/mysql`;
}
