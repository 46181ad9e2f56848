import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstIssue, InputError, parseJson } from '@fair-bench/contract';
import { type KnownLoss, knownLossSchema } from '@fair-bench/results';

const folder = join('claims', 'known-losses');

/** Losses that others have published. An InputError names a broken file. */
export async function knownLosses(root: string): Promise<readonly KnownLoss[]> {
  const files = (await readdir(join(root, folder))).filter((file) => file.endsWith('.json')).toSorted();
  return await Promise.all(
    files.map(async (file) => {
      const path = join(folder, file);
      const parsed = knownLossSchema.safeParse(parseJson(await readFile(join(root, path), 'utf8'), path));
      if (!parsed.success) throw new InputError(`${path}: ${firstIssue(parsed.error)}`);
      return parsed.data;
    }),
  );
}
