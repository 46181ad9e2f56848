import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { firstIssue, hasCode, messageOf } from '@fair-bench/contract';
import { z } from 'zod';

/** The file's text, or null when there is no such file. */
export async function readIfThere(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw new Error(`${path}: cannot be read: ${messageOf(error)}`, { cause: error });
  });
}

/** The parsed content of a JSON file, or null without the file. Rejects with the file, the fact and the remedy. */
export async function readStored<T>(
  path: string,
  schema: z.ZodType<T>,
  { what, remedy }: { readonly what: string; readonly remedy: string },
): Promise<T | null> {
  const text = await readIfThere(path);
  if (text === null) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const fact = error instanceof z.ZodError ? firstIssue(error) : messageOf(error);
    throw new Error(`${path}: is not a ${what}: ${fact}; ${remedy}`, { cause: error });
  }
}

/** Writes the whole file or nothing, even when another run writes it at the same time. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  await writeFile(partial, text);
  await rename(partial, path);
}

/** Writes a value as JSON, creating the folder if necessary; returns the path. */
export async function storeJson(path: string, value: unknown): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeWhole(path, `${JSON.stringify(value, null, 2)}\n`);
  return path;
}
