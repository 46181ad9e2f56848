import { fileURLToPath } from 'node:url';
import { parseCommandLine, type CliCommand } from './cli/command-line.ts';
import { explainCommand } from './cli/explain-command.ts';
import { exitCodes, type ExitCode } from './cli/exit-codes.ts';
import { findRun } from './cli/folders.ts';
import { runCommand } from './cli/run-command.ts';
import { readEnvironment, type EnvironmentSettings } from './env.ts';
import { InputError } from './input-error.ts';
import { listTargets, renderListing } from './list/index.ts';
import { createConnectorPackage } from './new-connector/index.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** A handle that somebody left open must not keep the process; the exit code says what happened all the same. */
const lingerMsMax = 10_000;

await main(process.argv.slice(2));

async function main(commandArguments: readonly string[]): Promise<void> {
  try {
    const environment = readEnvironment();
    const command = parseCommandLine(commandArguments);
    process.exitCode = await run(command, commandArguments, environment);
  } catch (error) {
    process.exitCode = explain(error);
  }
  setTimeout(() => process.exit(), lingerMsMax).unref();
}

async function run(
  command: CliCommand,
  commandArguments: readonly string[],
  { dataDirectory }: EnvironmentSettings,
): Promise<ExitCode> {
  switch (command.kind) {
    case 'run':
      return await runCommand({ root, options: command.options, command: commandArguments, dataDirectory });
    case 'explain':
      return await explainCommand({
        root,
        options: command.options,
        command: commandArguments,
        dataDirectory,
      });
    case 'bench-self': {
      const { runSelfBench } = await import('./self-bench/index.ts');
      return await runSelfBench({ root, only: command.only, out: command.out, dataDirectory });
    }
    case 'bench-aa': {
      const { runAaBench } = await import('./bench-aa/index.ts');
      return await runAaBench({ root, options: command.options, dataDirectory });
    }
    case 'compare':
      return await compareCommand(command);
    case 'report': {
      const directory = await findRun(root, command.directory);
      const { renderHtmlReport, renderReport } = await import('./report/index.ts');
      const { format } = command;
      print(
        format.kind === 'html'
          ? await renderHtmlReport(directory, format.file)
          : await renderReport(directory),
      );
      break;
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
      print(await createConnectorPackage(root, command.name));
      break;
    case 'help':
      break;
  }
  return exitCodes.ok;
}

async function compareCommand(command: CliCommand & { kind: 'compare' }): Promise<ExitCode> {
  const [before, after] = [await findRun(root, command.before), await findRun(root, command.after)];
  const { compareRuns } = await import('./compare/index.ts');
  const { text, regressions } = await compareRuns(before, after);
  print(text);
  return command.failOnRegression && regressions > 0 ? exitCodes.regression : exitCodes.ok;
}

function print(text: string): void {
  process.stdout.write(`${text.trimEnd()}\n`);
}

function explain(error: unknown): ExitCode {
  if (error instanceof InputError) {
    process.stderr.write(`fair-bench: ${error.message}\n`);
    return exitCodes.badInput;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`fair-bench: unexpected: ${detail}\n`);
  return exitCodes.void;
}
