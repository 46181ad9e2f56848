import { readFile } from 'node:fs/promises';
import type { UserIds } from '@fair-bench/contract';

/**
 * The user that a server which refuses root runs as: null for the present one, or where that is root, the first of
 * `names` that is a user of this machine, and else `nobody`. No user is made.
 */
export async function serverUser(system: string, names: readonly string[]): Promise<UserIds | null> {
  if (process.getuid?.() !== 0) return null;
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of [...names, 'nobody']) {
    const [, , uid, gid] = lines.find((fields) => fields[0] === name) ?? [];
    if (uid !== undefined && gid !== undefined && uid !== '0') return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    `${system} does not run as root, and there is no user ${[...names, 'nobody'].join(' or ')}; run as another user`,
  );
}
