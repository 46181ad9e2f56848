import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The text of every file in a folder. */
export async function textsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  return await Promise.all(paths.map(async (path) => readFile(path, 'utf8')));
}
