import { execFileSync } from 'node:child_process';

/**
 * Machines on one machine: a network namespace each, connected by a veth pair to a switch in another namespace. The
 * host's network only gets one veth, which connects this process to the switch.
 */
export class Namespaces {
  /** The address of this process. */
  readonly host: string;
  readonly #prefix: string;
  readonly #switch: string;
  readonly #names: string[] = [];
  #isConnected = false;

  constructor() {
    this.#prefix = `fb${process.pid % 100_000}`;
    this.#switch = `${this.#prefix}-switch`;
    this.host = `${this.#subnet}.254`;
    try {
      this.#make();
    } catch (cause) {
      this.#remove();
      throw new Error('network namespaces need root and `ip` (Debian: iproute2)', { cause });
    }
  }

  #make(): void {
    this.#space(this.#switch);
    ip('-n', this.#switch, 'link', 'add', 'name', 'switch', 'type', 'bridge');
    ip('-n', this.#switch, 'link', 'set', 'dev', 'switch', 'up');
    ip('link', 'add', 'name', this.#prefix, 'type', 'veth', 'peer', 'name', 'host', 'netns', this.#switch);
    this.#isConnected = true;
    ip('addr', 'add', `${this.host}/24`, 'dev', this.#prefix);
    ip('link', 'set', 'dev', this.#prefix, 'up');
    this.mend('host');
  }

  /** A machine: its address, and the command prefix that runs a program on it. */
  add(name: string): { readonly host: string; readonly prefix: readonly string[] } {
    const host = `${this.#subnet}.${this.#names.length}`;
    const space = this.#space(`${this.#prefix}-${name}`);
    const peer = ['peer', 'name', 'eth', 'netns', space];
    ip('-n', this.#switch, 'link', 'add', 'name', name, 'type', 'veth', ...peer);
    ip('-n', space, 'addr', 'add', `${host}/24`, 'dev', 'eth');
    for (const device of ['eth', 'lo']) ip('-n', space, 'link', 'set', 'dev', device, 'up');
    this.mend(name);
    return { host, prefix: ['ip', 'netns', 'exec', space] };
  }

  /** Takes a machine's cable out. */
  cut(name: string): void {
    ip('-n', this.#switch, 'link', 'set', 'dev', name, 'down');
  }

  mend(name: string): void {
    ip('-n', this.#switch, 'link', 'set', 'dev', name, 'master', 'switch');
    ip('-n', this.#switch, 'link', 'set', 'dev', name, 'up');
  }

  close(): void {
    this.#remove();
  }

  get #subnet(): string {
    return `10.213.${process.pid % 250}`;
  }

  #space(name: string): string {
    ip('netns', 'add', name);
    this.#names.push(name);
    return name;
  }

  #remove(): void {
    // With its namespace alone it would be removed a moment later, and the next one has the same name.
    if (this.#isConnected) ip('link', 'del', this.#prefix);
    this.#isConnected = false;
    for (const name of this.#names.splice(0)) ip('netns', 'del', name);
  }
}

function ip(...words: string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Null where namespaces can be made; otherwise why not. */
export const whyNoNamespaces = ((): string | null => {
  try {
    new Namespaces().close();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
})();
