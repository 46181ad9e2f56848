import { fork } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { badOption, InputError, jsonObjectSchema, messageOf, moduleIn } from '@fair-bench/contract';
import {
  mistakesInFunctions,
  parseDescription,
  type WorkloadDescription,
  WorkloadError,
} from '@fair-bench/workload';
import { z } from 'zod';
import { existsSync } from 'node:fs';
import { digestOf } from './digest.ts';
import { resolveWorkloadPackage } from './resolve-workload-package.ts';

/** The default workload. */
export const defaultWorkload = 'transfer';

const evaluateMsMax = 10_000;
const evaluator = fileURLToPath(new URL('./evaluate-workload.ts', import.meta.url));
const messageSchema = z.union([
  z.strictObject({ description: z.unknown() }),
  z.strictObject({ failure: z.string() }),
]);

/** A workload's description and the folder of its bindings. */
export interface LoadedWorkload {
  readonly name: string;
  readonly folder: string;
  readonly description: WorkloadDescription;
  /** Of the description, hexadecimal. */
  readonly sha256: string;
}

/**
 * Loads a workload by its name (`workloads/<name>` under `root`) or by its folder, anywhere. An InputError names the
 * file and every mistake in it.
 */
export async function loadWorkload(
  root: string,
  nameOrFolder: string,
  timeoutMs = evaluateMsMax,
): Promise<LoadedWorkload> {
  const folder = await folderOf(root, nameOrFolder);
  const path = moduleIn(folder, 'workload.ts');
  const value = await evaluate(path, timeoutMs);
  try {
    const parsed = parseDescription(value, path);
    const description = parsed.code === undefined ? parsed : await withFunctions(parsed, path);
    return { name: description.name, folder, description, sha256: digestOf(description) };
  } catch (error) {
    if (!(error instanceof WorkloadError)) throw error;
    throw new InputError(error.message, { cause: error });
  }
}

/** The same description with its functions, which only an import in this process has. */
async function withFunctions(parsed: WorkloadDescription, path: string): Promise<WorkloadDescription> {
  resolveWorkloadPackage();
  const module: { readonly default?: unknown } = await import(pathToFileURL(path).href);
  const found = module.default;
  if (isSame(found, parsed)) {
    const mistakes = mistakesInFunctions(found);
    if (mistakes.length > 0) throw new WorkloadError(path, mistakes);
    return found;
  }
  throw new InputError(`${path}: it makes another description each time; make it from nothing that changes`);
}

function isSame(found: unknown, parsed: WorkloadDescription): found is WorkloadDescription {
  return digestOf(found) === digestOf(parsed);
}

async function folderOf(root: string, nameOrFolder: string): Promise<string> {
  const folders = join(root, 'workloads');
  for (const folder of [join(folders, nameOrFolder), resolve(nameOrFolder)]) {
    if (existsSync(moduleIn(folder, 'workload.ts'))) return folder;
  }
  const entries = await readdir(folders, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules');
  const known = names.map(({ name }) => name).join(', ');
  throw badOption('workload', nameOrFolder, `${known}, or a folder with a workload.ts`);
}

/** The exports of a workload file, as sent by the process that evaluated it. */
async function evaluate(path: string, timeoutMs: number): Promise<unknown> {
  const child = fork(evaluator, [path], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
  let standardError = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    standardError = (standardError + chunk).slice(-2000);
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const text = await new Promise<string | null>((settle) => {
    child.on('message', (message) => settle(typeof message === 'string' ? message : null));
    child.on('error', (error) => settle(JSON.stringify({ failure: messageOf(error) })));
    child.on('close', () => settle(null));
  }).finally(() => clearTimeout(timer));
  if (text === null) {
    const reason = child.killed
      ? `not evaluated within ${timeoutMs / 1000} s; a description is data: compute less`
      : standardError.trim();
    throw new InputError(`${path}: ${reason === '' ? 'ended without a description' : reason}`);
  }
  const message = messageSchema.parse(JSON.parse(text));
  if ('failure' in message)
    throw new InputError(`${path}: ${message.failure}; correct it, see docs/your-own-transaction.md`);
  const description = jsonObjectSchema.safeParse(message.description);
  if (!description.success) {
    throw new InputError(
      `${path}: its default export is not a description: export default defineWorkload({ … })`,
    );
  }
  return description.data;
}
