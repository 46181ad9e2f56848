import { readdir, readFile, readlink } from 'node:fs/promises';
import { parentOf } from './process-table.ts';
import { membersOf, readProcesses } from './process-usage.ts';

/** States of a socket in the kernel's list. */
const established = '01';
const listening = '0A';

/**
 * The local ports of established TCP connections from a process and its descendants to a port, as the kernel lists them;
 * null where it does not show them: elsewhere than on Linux, or of a process of another user.
 */
export async function portsTo(pid: number, remotePort: number): Promise<ReadonlySet<number> | null> {
  const stats = readProcesses();
  if (stats === null) return null;
  try {
    const members = membersOf([pid], stats);
    const own = new Set((await Promise.all(members.map(async (one) => await socketsOf(one.pid)))).flat());
    const ports = (await sockets()).flatMap(({ local, remote, state, inode }) =>
      state === established && remote === remotePort && own.has(inode) ? [local] : [],
    );
    return new Set(ports);
  } catch {
    return null;
  }
}

/**
 * The processes that listen at a TCP address of this machine. Where a process shares its socket with its children, it alone is given.
 * Empty where none listens or the kernel does not show it: a process of another user, and everything elsewhere than on Linux.
 * @param address of IPv4: a socket of all addresses counts too, one of another does not.
 */
export async function listenersAt(address: string, port: number): Promise<readonly number[]> {
  const stats = readProcesses();
  if (stats === null) return [];
  const wanted = kernelAddress(address);
  const inodes = (await sockets()).flatMap(({ address: at, local, state, inode }) =>
    state === listening && local === port && [wanted, mappedTo(wanted), ...wildcards].includes(at)
      ? [inode]
      : [],
  );
  const holders = new Set<number>();
  for (const { pid } of stats) {
    // A process may have ended, or be another user's.
    const own = await socketsOf(pid).catch(() => []);
    if (own.some((inode) => inodes.includes(inode))) holders.add(pid);
  }
  return [...holders].filter((pid) => !holders.has(parentOf(pid) ?? 0));
}

/** A socket has these where it listens at all addresses: of IPv4, and of IPv6, which takes connections of both. */
const wildcards = ['0'.repeat(8), '0'.repeat(32)];

/** As the kernel's list has it: the bytes from the last to the first. */
function kernelAddress(address: string): string {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  return bytes.toReversed().join('').toUpperCase();
}

/** An address of IPv4 in a socket of IPv6. */
function mappedTo(address: string): string {
  return `0000000000000000FFFF0000${address}`;
}

/** Every TCP socket of this machine. */
async function sockets() {
  const lists = await Promise.all(
    ['tcp', 'tcp6'].map(async (list) => await readFile(`/proc/net/${list}`, 'utf8')),
  );
  const rows = lists.flatMap((list) => list.split('\n').slice(1)).map((row) => row.trim().split(/\s+/));
  return rows.map(([, local = '', remote = '', state = '', , , , , , inode = '']) => {
    return {
      address: local.split(':')[0] ?? '',
      local: portOf(local),
      remote: portOf(remote),
      state,
      inode,
    };
  });
}

/** The inodes of a process's open sockets. */
async function socketsOf(pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all(
    // A file may be closed meanwhile.
    (await readdir(folder)).map(async (file) => await readlink(`${folder}/${file}`).catch(() => '')),
  );
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

/** Of an address such as `0100007F:1F90`. */
function portOf(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '', 16);
}
