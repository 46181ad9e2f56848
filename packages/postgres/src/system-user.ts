import { readFile } from 'node:fs/promises';
import type { UserIds } from '@fair-bench/contract';

/**
 * The user that a server is run as: null for the present one, or where that is root, which PostgreSQL
 * refuses, `postgres` if there is such a user and else `nobody`. No user is made.
 */
export async function serverUser(): Promise<UserIds | null> {
  if (process.getuid?.() !== 0) return null;
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((fields) => fields[0] === name) ?? [];
    if (uid !== undefined && gid !== undefined && uid !== '0') return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is neither a user postgres nor nobody; run as another user',
  );
}
