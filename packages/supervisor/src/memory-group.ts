import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@fair-bench/contract';

/** What a group was allowed and took, in bytes, as the kernel says; null where it does not say. */
interface GroupMemory {
  readonly limitBytes: number | null;
  /** The most at one time since `restart`, page cache included. */
  readonly peakBytes: number | null;
}

/** The files of a version of control groups: https://docs.kernel.org/admin-guide/cgroup-v2.html, …/cgroup-v1/memory.html. */
interface Version {
  readonly limit: string;
  /** What keeps memory from going to swap space, and its value. */
  readonly swap: readonly (readonly [file: string, value: string])[];
  readonly peak: string;
  /** It has a line `oom_kill N`. */
  readonly kills: string;
}

const v1: Version = {
  limit: 'memory.limit_in_bytes',
  swap: [['memory.swappiness', '0']],
  peak: 'memory.max_usage_in_bytes',
  kills: 'memory.oom_control',
};
const v2: Version = {
  limit: 'memory.max',
  swap: [['memory.swap.max', '0']],
  peak: 'memory.peak',
  kills: 'memory.events',
};

/** Of both versions: the processes in the group, a line for each. */
const members = 'cgroup.procs';

/** The process that made a group is in its name, so that one whose process has ended is removed. */
const groupName = /^fair-bench-(\d+)-\d+$/;
let made = 0;

/** A control group of the kernel, with a limit on the memory of its processes: their own, and the page cache of what they read and write. */
export class MemoryGroup implements Disposable {
  readonly #path: string;
  readonly #version: Version;

  private constructor(path: string, version: Version) {
    this.#path = path;
    this.#version = version;
  }

  /** Throws with the reason where the kernel gives this process no such group. */
  static withLimit(limitBytes: number): MemoryGroup {
    const reasons: string[] = [];
    for (const { parent, version } of parentsOf()) {
      removeLeftOver(parent);
      made += 1;
      const path = join(parent, `fair-bench-${process.pid}-${made}`);
      try {
        mkdirSync(path);
      } catch (error) {
        reasons.push(messageOf(error));
        continue;
      }
      const group = new MemoryGroup(path, version);
      try {
        writeFileSync(join(path, version.limit), String(limitBytes));
        for (const [file, value] of version.swap) group.#write(file, value);
        if (group.read().limitBytes === limitBytes) return group;
        reasons.push(`${path} has a limit of ${group.read().limitBytes} bytes, not ${limitBytes}`);
      } catch (error) {
        reasons.push(messageOf(error));
      }
      group[Symbol.dispose]();
    }
    throw new Error(
      reasons.length === 0 ? 'the kernel has no control groups for memory' : reasons.join('; '),
    );
  }

  /** A command that runs another in the group. The process and its id stay the same. */
  around<Command extends { readonly command: string; readonly arguments: readonly string[] }>(
    run: Command,
  ): Command {
    const script = 'echo $$ > "$0" && exec "$@"';
    const words = ['-c', script, join(this.#path, members), run.command, ...run.arguments];
    return { ...run, command: '/bin/sh', arguments: words };
  }

  /** From now on for the peak, where the kernel can begin again: with control groups of version 2 since Linux 6.12. */
  restart(): void {
    this.#write(this.#version.peak, '0');
  }

  has(pid: number): boolean {
    return this.#text(members).split('\n').includes(String(pid));
  }

  read(): GroupMemory {
    return { limitBytes: this.#number(this.#version.limit), peakBytes: this.#number(this.#version.peak) };
  }

  /** Processes that the kernel has killed because the group was full. */
  get kills(): number {
    const [, count] = /^oom_kill (\d+)$/m.exec(this.#text(this.#version.kills)) ?? [];
    return Number(count ?? 0);
  }

  /** Call it when its processes have ended: the kernel keeps a group with processes. */
  [Symbol.dispose](): void {
    remove(this.#path);
  }

  #number(file: string): number | null {
    const text = this.#text(file).trim();
    return /^\d+$/.test(text) ? Number(text) : null;
  }

  #text(file: string): string {
    try {
      return readFileSync(join(this.#path, file), 'utf8');
    } catch {
      // This kernel does not have it.
      return '';
    }
  }

  #write(file: string, value: string): void {
    try {
      writeFileSync(join(this.#path, file), value);
    } catch {
      // This kernel does not have it.
    }
  }
}

/** Where groups may be made: below this process's own, then at the root. */
function parentsOf(): readonly { readonly parent: string; readonly version: Version }[] {
  return mountsOf().flatMap(({ mount, version, own }) =>
    [...new Set([join(mount, own), mount])].map((parent) => ({ parent, version })),
  );
}

/** By `/proc/self/mountinfo` and `/proc/self/cgroup`, proc(5) and cgroups(7); none where this is not Linux. */
function mountsOf(): readonly { readonly mount: string; readonly version: Version; readonly own: string }[] {
  try {
    const groups = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
    const ownOf = (controller: string): string => {
      const line = groups.find((one) => one.split(':')[1]?.split(',').includes(controller));
      return line?.split(':').slice(2).join(':') ?? '/';
    };
    return readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [before = '', after = ''] = line.split(' - ');
        const mount = before.split(' ')[4] ?? '';
        const [type, , options = ''] = after.split(' ');
        if (type === 'cgroup2') return [{ mount, version: v2, own: ownOf('') }];
        const isMemory = type === 'cgroup' && options.split(',').includes('memory');
        return isMemory ? [{ mount, version: v1, own: ownOf('memory') }] : [];
      });
  } catch {
    return [];
  }
}

/** Groups of processes that ended without removing them. */
function removeLeftOver(parent: string): void {
  try {
    for (const name of readdirSync(parent)) {
      const [, pid] = groupName.exec(name) ?? [];
      if (pid !== undefined && !isAlive(Number(pid))) remove(join(parent, name));
    }
  } catch {
    // Making one says why.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // A process is still in it: the next run removes it.
  }
}
