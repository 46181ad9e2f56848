import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError, isInstalled, typedCommand } from '@fair-bench/contract';
import { homeOf, resultsFolder } from '@fair-bench/results';
import { writeTemplates } from '../new-connector/write-templates.ts';
import { createWorkload } from '../new-workload/index.ts';

const templates = fileURLToPath(new URL('./templates', import.meta.url));
/** The workload that is written: pieces are taken out of a stock. */
const workload = 'stock';
const written = ['bench/fair-bench.config.ts', '.github/workflows/fair-bench.yml'] as const;

/**
 * Writes into the user's repository what a first run needs: `bench/stock`, a workload that runs; a configuration without targets yet; a
 * workflow for GitHub. Resolves with the next steps. An InputError, with nothing written, in a clone of Fair Bench, or where one of
 * them exists.
 */
export async function initialize(root: string): Promise<string> {
  if (!isInstalled) {
    throw new InputError(
      'init: this is a clone of Fair Bench; accepts a repository of yours, after npm install --save-dev fair-bench',
    );
  }
  const home = homeOf(root);
  const taken = written.find((file) => existsSync(join(home, file)));
  if (taken !== undefined) throw new InputError(`init: ${taken} exists; remove it, or change it by hand`);
  const folder = `bench/${workload}`;
  await createWorkload(root, workload, undefined);
  await writeTemplates(templates, home, { WORKLOAD: folder });
  await ignoreResults(root, home);
  return [
    `wrote ${[`${folder}/`, ...written].join(', ')}`,
    'next:',
    `  ${typedCommand('fair-bench', ['--workload', folder, '--systems', 'postgres-driver,sqlite-drizzle', '--quick'])}`,
    `then change ${folder}/workload.ts to your transaction, and the bindings beside it`,
  ].join('\n');
}

/** Runs are no part of a repository. */
async function ignoreResults(root: string, home: string): Promise<void> {
  const path = join(home, '.gitignore');
  const line = `${resultsFolder(root).slice(home.length + 1)}/`;
  const text = existsSync(path) ? await readFile(path, 'utf8') : '';
  if (text.split('\n').includes(line)) return;
  await appendFile(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
}
