import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type UserIds, isVolatile, messageOf } from '@fair-bench/contract';
import { canTraverse, fileSystemOf } from './file-system.ts';

/**
 * Creates a new directory `fair-bench-<name>-…` (mode 700) in the first candidate that is on a disk and that the
 * owner can reach. The error lists the candidates, why each was refused, and how to name another.
 */
export async function freshDirectory(
  name: string,
  candidates: readonly string[],
  owner: UserIds | undefined,
): Promise<string> {
  const refusals: string[] = [];
  for (const candidate of candidates) {
    const refusal = await refusalOf(candidate, owner);
    if (refusal !== null) {
      refusals.push(`${candidate}: ${refusal}`);
      continue;
    }
    try {
      return await make(join(candidate, `fair-bench-${name}-`), owner);
    } catch (error) {
      refusals.push(`${candidate}: ${messageOf(error)}`);
    }
  }
  throw new Error(
    `${name}: no place for a directory on a disk (${refusals.join('; ')}); ` +
      'name a directory on a disk as the data root, or by the environment variable TMPDIR',
  );
}

async function refusalOf(candidate: string, owner: UserIds | undefined): Promise<string | null> {
  try {
    const fileSystem = await fileSystemOf(candidate);
    if (isVolatile(fileSystem.type)) return `${fileSystem.type} is memory, not a disk`;
    if (owner === undefined) return null;
    const { blockedAt } = await canTraverse(candidate, owner);
    return blockedAt === null ? null : `user ${owner.uid} cannot enter ${blockedAt}`;
  } catch (error) {
    return messageOf(error);
  }
}

async function make(prefix: string, owner: UserIds | undefined): Promise<string> {
  const directory = await mkdtemp(prefix);
  try {
    if (owner !== undefined) await chown(directory, owner.uid, owner.gid);
    return directory;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}
