import { readdir, readFile, readlink } from 'node:fs/promises';
import { membersOf, readProcesses } from './process-usage.ts';

const established = '01';

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
    const lists = await Promise.all(
      ['tcp', 'tcp6'].map(async (list) => await readFile(`/proc/net/${list}`, 'utf8')),
    );
    const rows = lists.flatMap((list) => list.split('\n').slice(1)).map((row) => row.trim().split(/\s+/));
    const ports = rows.flatMap(([, local = '', remote = '', state, , , , , , inode = '']) =>
      state === established && portOf(remote) === remotePort && own.has(inode) ? [portOf(local)] : [],
    );
    return new Set(ports);
  } catch {
    return null;
  }
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
