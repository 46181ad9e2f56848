import { fileURLToPath } from 'node:url';
import { Command } from '@commander-js/extra-typings';
import { parseWords, quiet, readEnvironment, runMain } from '@fair-bench/runner';
import { aaDefaults, parseAaOptions, runAaBench } from './aa/index.ts';
import { benchWindow, windowCommand } from './window/index.ts';
import { ceilingCommand } from './find-ceiling.ts';
import { k6Command } from './k6-crosscheck/k6-crosscheck.ts';
import { tuningCommand } from './price-tuning.ts';
import { runSelfBench } from './self-bench/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

await runMain(async (words) => {
  const { dataDirectory, shareHost } = readEnvironment();
  const shared = ['--share-host', 'measure although another run measures on this machine'] as const;
  let run = async (): Promise<number> => 0;
  const program = quiet(new Command('tools').description('Measures the harness itself.'));
  program.addCommand(
    quiet(new Command('bench:self'))
      .description("the harness's own figures against their goals")
      .option('--only <chapters>', 'some of its chapters, separated by commas')
      .option('--out <dir>', 'where the results go')
      .option(...shared)
      .action(({ only, out, shareHost: share = shareHost }) => {
        run = async () => await runSelfBench({ root, only, out, share, dataDirectory });
      }),
  );
  program.addCommand(
    quiet(new Command('bench:aa'))
      .description(
        'one target against itself: the minimum detectable difference on this machine; of several: whether separate runs agree',
      )
      .option('--target <names>', 'which, several by commas (default: the first available database)')
      .option('--runs <number>', 'default runs of fair-bench', aaDefaults.runs)
      .option('--quick', 'only one combination, of three contrasts')
      .option('--budget <time>', 'of each run (default: 5m)')
      .option('--trials <number>', 'rounds of each run, in place of a budget')
      .option('--deployments <number>', 'each or 1: how often servers are started (default: each)')
      .option('--duration <time>', 'timed window of a trial (default: that of fair-bench)')
      .option('--warmup <time>', 'before each window (default: that of fair-bench)')
      .option('--out <dir>', 'where the results go')
      .option(...shared)
      .action(({ shareHost: share = shareHost, ...texts }) => {
        const options = parseAaOptions(texts);
        run = async () => await runAaBench({ root, options, share, dataDirectory });
      }),
  );
  program.addCommand(windowCommand((options) => (run = async () => await benchWindow(options))));
  for (const command of [tuningCommand, ceilingCommand, k6Command])
    program.addCommand(command((chosen) => (run = chosen)));
  program.addCommand(
    quiet(new Command('docs:refresh'))
      .description("the README's numbers and pictures, each part from one run")
      .option('--only <part>', 'fair, explain or terminal (default: all)')
      .option('--fair <run>', 'an existing run of fair-bench')
      .option('--explain <run>', 'an existing run of explain')
      .option('--browser <path>', 'Chromium', '/usr/bin/chromium')
      .action(({ browser, only, ...runs }) => {
        run = async () => {
          const { docsParts, refreshDocs } = await import('./docs/refresh.ts');
          const parts = docsParts.filter((part) => only === undefined || part === only);
          await refreshDocs({ root, parts, runs, browser });
          return 0;
        };
      }),
  );
  program.addCommand(
    quiet(new Command('gallery'))
      .description('a page of published claims beside their measurements: docs/gallery/index.html')
      .option('--add <run>', 'stores the verdict of a run of --claim first')
      .action(({ add }) => {
        run = async () => {
          const { buildGallery } = await import('./docs/gallery.ts');
          process.stdout.write(`${await buildGallery(root, add)}\n`);
          return 0;
        };
      }),
  );
  parseWords(program, words);
  return await run();
});
