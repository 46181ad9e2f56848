import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type FairBenchConfig,
  InputError,
  fairBenchConfigSchema,
  firstIssue,
  messageOf,
  moduleIn,
} from '@fair-bench/contract';
import { configFolder } from '@fair-bench/results';

const defaultName = 'fair-bench.config.ts';

/** A configuration and its file, for messages. */
export interface ConfigFile {
  readonly path: string;
  readonly config: FairBenchConfig;
}

/**
 * The user's configuration: the file named by `--config`, or `fair-bench.config.ts` of the workspace, or in `bench` where the package is installed; null without
 * either. An InputError names the file and the refused part.
 */
export async function readConfig(root: string, named: string | undefined): Promise<ConfigFile | null> {
  const path = named === undefined ? moduleIn(configFolder(root), defaultName) : resolve(named);
  const accepts = `a file such as ${defaultName}, whose default export is defineConfig({ targets })`;
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    if (named === undefined) return null;
    throw new InputError(`--config: got "${named}"; accepts ${accepts}; there is no such file`);
  }
  const parsed = fairBenchConfigSchema.safeParse(await defaultExport(path));
  if (!parsed.success) {
    // The message leaves the refused value out: it may be a misplaced secret.
    throw new InputError(`${path}: ${firstIssue(parsed.error)}; accepts ${accepts}`);
  }
  return { path, config: parsed.data };
}

async function defaultExport(path: string): Promise<unknown> {
  try {
    const module: unknown = await import(pathToFileURL(path).href);
    return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  } catch (error) {
    throw new InputError(`${path}: cannot be imported: ${messageOf(error)}`, { cause: error });
  }
}
