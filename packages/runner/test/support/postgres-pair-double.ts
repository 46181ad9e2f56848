import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, serverUser } from '@fair-bench/supervisor';
import { Client } from 'pg';
import { embeddedBinaries, reachableBinaries } from '../../../connector-postgres/src/binaries.ts';
import { LeadingProxyDouble } from './leading-proxy-double.ts';
import { eventually } from './processes.ts';

const run = promisify(execFile);
const startMsMax = 20_000;
/** The log sender stands still for so long before its server is killed: what is committed meanwhile is not sent. */
const lagS = 0.4;

interface Node {
  readonly port: number;
  readonly data: string;
  readonly url: string;
}

/**
 * A real PostgreSQL with a real standby, and a double of what stands before such a pair: it leads connections to the server that
 * writes, and promotes the standby once that one is gone.
 */
export class PostgresPairDouble implements AsyncDisposable {
  readonly #directory: string;
  readonly #bin: string;
  readonly #user: Awaited<ReturnType<typeof serverUser>>;
  readonly #nodes: readonly [Node, Node];
  #proxy: LeadingProxyDouble | null = null;

  private constructor(
    directory: string,
    bin: string,
    user: Awaited<ReturnType<typeof serverUser>>,
    nodes: readonly [Node, Node],
  ) {
    this.#directory = directory;
    this.#bin = bin;
    this.#user = user;
    this.#nodes = nodes;
  }

  /** @param isSynchronous whether a commit waits for the standby. */
  static async open(isSynchronous: boolean): Promise<PostgresPairDouble> {
    const directory = await mkdtemp('/var/tmp/fair-bench-pair-');
    const user = await serverUser('PostgreSQL', ['postgres']);
    if (user !== null) await chown(directory, user.uid, user.gid);
    await chmod(directory, 0o755);
    const bin = await reachableBinaries(embeddedBinaries().nativeDirectory, directory, user);
    const nodeAt = async (name: string): Promise<Node> => {
      const port = await freePort();
      return { port, data: join(directory, name), url: `postgres://fair_bench@127.0.0.1:${port}/postgres` };
    };
    const pair = new PostgresPairDouble(directory, bin, user, [
      await nodeAt('first'),
      await nodeAt('second'),
    ]);
    try {
      await pair.#start(isSynchronous);
      return pair;
    } catch (error) {
      await pair[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Sessions connect here. */
  get url(): string {
    return `postgres://fair_bench@127.0.0.1:${this.#proxy?.port}/postgres`;
  }

  /** As in fair-bench.config.ts; `byCommand`: killed by a command, after its log sender has lagged. */
  nodes(byCommand: boolean) {
    return this.#nodes.map((node) => ({
      url: node.url,
      // Its log may be ahead of the new leader's, and the tool that goes back is not among these programs.
      restart: 'echo "it needs pg_rewind" >&2; exit 1',
      ...(byCommand ? { kill: this.#lagAndKill(node) } : {}),
    }));
  }

  /** Whether the server that began as the standby leads now. */
  get hasFailedOver(): boolean {
    return this.#proxy?.failovers === 1;
  }

  async #start(isSynchronous: boolean): Promise<void> {
    const [first, second] = this.#nodes;
    await this.#as(join(this.#bin, 'initdb'), [
      `--pgdata=${first.data}`,
      '--username=fair_bench',
      '--auth=trust',
      '--encoding=UTF8',
      '--no-locale',
    ]);
    await cp(first.data, second.data, { recursive: true });
    await writeFile(join(second.data, 'standby.signal'), '');
    for (const node of this.#nodes) {
      const other = node === first ? second : first;
      await appendFile(
        join(node.data, 'postgresql.conf'),
        [
          '',
          `port = ${node.port}`,
          "listen_addresses = '127.0.0.1'",
          "unix_socket_directories = ''",
          'max_connections = 300',
          `primary_conninfo = 'host=127.0.0.1 port=${other.port} user=fair_bench application_name=standby'`,
          '',
        ].join('\n'),
      );
    }
    if (this.#user !== null)
      await run('chown', ['-R', `${this.#user.uid}:${this.#user.gid}`, first.data, second.data]);
    for (const node of this.#nodes) await run('sh', ['-c', this.#command(node, 'start')]);
    await this.#until(
      async () => (await this.#ask(first, 'SELECT count(*) FROM pg_stat_replication')) === '1',
    );
    if (isSynchronous) {
      await this.#ask(first, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
      await this.#ask(first, 'SELECT pg_reload_conf()');
      const state = 'SELECT sync_state FROM pg_stat_replication';
      await this.#until(async () => (await this.#ask(first, state)) === 'sync');
    }
    const ports = this.#nodes.map(({ port }) => port);
    this.#proxy = await LeadingProxyDouble.open(ports, async () => {
      await this.#ask(second, 'SELECT pg_promote()');
    });
  }

  /** A command of the shell, by the servers' user, that starts or stops one. What was the leader comes back as a standby. */
  #command(node: Node, word: 'start' | 'stop'): string {
    const asUser =
      this.#user === null
        ? ''
        : `setpriv --reuid=${this.#user.uid} --regid=${this.#user.gid} --clear-groups `;
    const control = `${asUser}${join(this.#bin, 'pg_ctl')} -D ${node.data} -l ${node.data}.log`;
    if (word === 'stop') return `${control} -m immediate -w stop`;
    return `${control} -w start`;
  }

  #lagAndKill({ data }: Node): string {
    const senders = `$(pgrep -P $(head -1 ${data}/postmaster.pid) -f walsender)`;
    const all = `$(head -1 ${data}/postmaster.pid) $(pgrep -P $(head -1 ${data}/postmaster.pid))`;
    return `kill -STOP ${senders}; sleep ${lagS}; kill -KILL ${all}`;
  }

  async #ask({ url }: Node, statement: string): Promise<string> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<(string | number | boolean | null)[]>({
        text: statement,
        rowMode: 'array',
      });
      return String(rows[0]?.[0] ?? '');
    } finally {
      await client.end();
    }
  }

  async #until(holds: () => Promise<boolean>): Promise<void> {
    if (!(await eventually(holds, startMsMax)))
      throw new Error('the pair of PostgreSQL servers did not start');
  }

  async #as(program: string, words: readonly string[]): Promise<void> {
    await run(program, [...words], this.#user === null ? {} : { uid: this.#user.uid, gid: this.#user.gid });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy?.[Symbol.asyncDispose]();
    for (const node of this.#nodes)
      await run('sh', ['-c', this.#command(node, 'stop')]).catch(() => undefined);
    await rm(this.#directory, { recursive: true, force: true });
  }
}
