import { resultsFolder } from '@fair-bench/results';
import { fileURLToPath } from 'node:url';
import { isInstalled } from '@fair-bench/contract';
import { parseCommandLine, type CliCommand } from './options/command-line.ts';
import { explainCommand } from './commands/explain-command.ts';
import { exitCodes, type ExitCode } from './commands/exit-codes.ts';
import { findRun } from './commands/folders.ts';
import { runMain } from './commands/run-main.ts';
import { runCommand } from './commands/run-command.ts';
import { loadWorkload } from './discover/workload.ts';
import { describeParameters } from './plan/parameters.ts';
import { readEnvironment, type EnvironmentSettings, useSchema } from './options/env.ts';
import { listTargets, renderListing } from './list/index.ts';
import { createConnectorPackage } from './new-connector/index.ts';
import { createWorkload } from './new-workload/index.ts';
import { initialize } from './init/index.ts';
import { questionsText } from './options/questions.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
await runMain(async (words) => {
  if (words.length === 0 && isInstalled) {
    print(questionsText());
    return exitCodes.ok;
  }
  const environment = readEnvironment();
  return await run(parseCommandLine(words), words, environment);
});

async function run(
  command: CliCommand,
  commandArguments: readonly string[],
  { dataDirectory, shareHost }: EnvironmentSettings,
): Promise<ExitCode> {
  switch (command.kind) {
    case 'run':
      useSchema(command.options.schema);
      return await runCommand({
        ...command,
        root,
        options: sharing(command.options, shareHost),
        command: commandArguments,
        dataDirectory,
      });
    case 'explain':
      useSchema(command.options.schema);
      return await explainCommand({
        root,
        options: sharing(command.options, shareHost),
        command: commandArguments,
        dataDirectory,
      });
    case 'compare':
      return await compareCommand(command);
    case 'report': {
      const directory = await findRun(root, command.directory);
      const { renderHtmlReport, renderReport } = await import('./commands/render-report.ts');
      const { terminalOptions } = await import('@fair-bench/report');
      const { format } = command;
      print(
        format.kind === 'html'
          ? await renderHtmlReport(directory, format.file)
          : await renderReport(directory, terminalOptions(process.stdout, format.verbose)),
      );
      break;
    }
    case 'history': {
      const { showHistory } = await import('./commands/show-history.ts');
      print(await showHistory(resultsFolder(root), command.target, command.format));
      break;
    }
    case 'kill-test': {
      const { killTestCommand } = await import('./commands/kill-test-command.ts');
      return await killTestCommand({ root, options: sharing(command.options, shareHost), dataDirectory });
    }
    case 'list': {
      const listings = await listTargets(root, command.config);
      print(command.json ? JSON.stringify(listings, null, 2) : renderListing(listings));
      break;
    }
    case 'doctor': {
      const { examine, renderDoctor } = await import('./doctor/index.ts');
      const report = await examine({ root, dataDirectory, config: command.config });
      print(command.json ? JSON.stringify(report, null, 2) : renderDoctor(report));
      return report.ready ? exitCodes.ok : exitCodes.void;
    }
    case 'new-connector':
    case 'new-workload':
    case 'init':
      print(await write(command));
      break;
    case 'help':
      if (command.workload !== null) {
        print(describeParameters(await loadWorkload(root, command.workload)));
      }
      break;
  }
  return exitCodes.ok;
}

/** Writes files for the user to change; resolves with what is next. */
async function write(
  command: CliCommand & { readonly kind: 'new-connector' | 'new-workload' | 'init' },
): Promise<string> {
  if (command.kind === 'init') return await initialize(root);
  if (command.kind === 'new-workload') return await createWorkload(root, command.name, command.at);
  return await createConnectorPackage(root, command.name, command.form);
}

/** The environment shares the machine too. */
function sharing<Options extends { readonly shareHost: boolean }>(
  options: Options,
  shareHost: boolean,
): Options {
  return { ...options, shareHost: options.shareHost || shareHost };
}

async function compareCommand(command: CliCommand & { kind: 'compare' }): Promise<ExitCode> {
  const [before, after] = [await findRun(root, command.before), await findRun(root, command.after)];
  const { compareRuns } = await import('./commands/compare-runs.ts');
  const { text, regressions } = await compareRuns(before, after, resultsFolder(root));
  print(text);
  return command.failOnRegression && regressions > 0 ? exitCodes.regression : exitCodes.ok;
}

function print(text: string): void {
  process.stdout.write(`${text.trimEnd()}\n`);
}
