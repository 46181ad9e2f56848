import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from '@commander-js/extra-typings';
import { everyRun, parseWords, quiet, readEnvironment, runMain, tableCommand } from '@fair-bench/runner';
import { z } from 'zod';
import { aaOptions, runAaBench } from './aa/index.ts';
import { crosscheckTool } from './crosscheck/index.ts';
import { runSelfBench } from './self-bench/index.ts';
import { option, tool, word } from './tool.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const figureOptions = { out: everyRun.out, shareHost: everyRun.shareHost };

/** What the commands that write figures take from the environment, as the runner's do. */
function placed({ out, shareHost }: { readonly out?: string | undefined; readonly shareHost: boolean }) {
  const { dataDirectory, shareHost: always } = readEnvironment();
  return { out, root, share: shareHost || always, dataDirectory };
}

const tools = [
  tool(
    'bench:self',
    "the harness's own figures against their goals",
    { only: option('chapters', 'some of its chapters, separated by commas', word()), ...figureOptions },
    async ({ only, ...options }) => await runSelfBench({ ...placed(options), only }),
  ),
  tool(
    'bench:aa',
    'one target against itself: the minimum detectable difference on this machine; of several: whether separate runs agree',
    { ...aaOptions, ...figureOptions },
    async ({ out, shareHost, ...options }) => await runAaBench({ ...placed({ out, shareHost }), options }),
  ),
  crosscheckTool,
  tool(
    'docs:refresh',
    "the README's numbers and pictures, each part from one run",
    {
      only: option('part', 'fair, explain or terminal (default: all)', word()),
      fair: option('run', 'an existing run of fair-bench', word()),
      explain: option('run', 'an existing run of explain', word()),
      browser: option('path', 'Chromium', z.string().prefault('/usr/bin/chromium')),
    },
    async ({ browser, only, ...runs }) => {
      const { docsParts, refreshDocs } = await import('./docs/refresh.ts');
      const parts = docsParts.filter((part) => only === undefined || part === only);
      await refreshDocs({ root, parts, runs, browser });
      return 0;
    },
  ),
  tool(
    'gallery',
    'a page of published claims beside their measurements: docs/gallery/index.html',
    { add: option('run', 'stores the verdict of a run of --claim first', word()) },
    async ({ add }) => {
      const { buildGallery } = await import('./docs/gallery.ts');
      process.stdout.write(`${await buildGallery(root, add)}\n`);
      return 0;
    },
  ),
  tool(
    'pack',
    'the package `fair-bench` as an archive, to install it in another repository',
    { out: option('folder', 'the folder of the archive (default: dist)', word()) },
    async ({ out }) => {
      const { pack } = await import('./pack/index.ts');
      process.stdout.write(`${await pack(root, resolve(out ?? join(root, 'dist')))}\n`);
      return 0;
    },
  ),
];

await runMain(async (words) => {
  let run = async (): Promise<number> => 0;
  const program = quiet(new Command('tools').description('Measures the harness itself.'));
  for (const one of tools)
    program.addCommand(tableCommand(one, (_words, given) => void (run = one.start(given))));
  parseWords(program, words);
  return await run();
});
