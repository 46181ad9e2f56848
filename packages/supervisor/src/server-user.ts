import { readFile } from 'node:fs/promises';
import type { UserIds } from '@fair-bench/contract';

/**
 * The user for a server that refuses root: null for the present user or, if that is root, the first of `names` that
 * exists on this machine, otherwise `nobody`. No user is created.
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
