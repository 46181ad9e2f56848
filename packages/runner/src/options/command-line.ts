import { Command } from '@commander-js/extra-typings';
import { InputError } from '@fair-bench/contract';
import { parseWords, quiet } from './commander.ts';
import { searchGrid } from './choices.ts';
import { explainCommandLine, type ExplainOptions, parseExplainOptions } from './explain-options.ts';
import { parseRunOptions, runDefaults, type RunOptions } from './run-options.ts';

/** What the command line asks for: every value is checked as far as it can be without looking at the workspace. */
export type CliCommand =
  | { readonly kind: 'run'; readonly options: RunOptions }
  | { readonly kind: 'explain'; readonly options: ExplainOptions }
  | { readonly kind: 'list'; readonly json: boolean; readonly config: string | undefined }
  | { readonly kind: 'doctor'; readonly json: boolean; readonly config: string | undefined }
  | { readonly kind: 'report'; readonly directory: string; readonly format: ReportFormat }
  | {
      readonly kind: 'compare';
      readonly before: string;
      readonly after: string;
      readonly failOnRegression: boolean;
    }
  | { readonly kind: 'new-connector'; readonly name: string }
  /** The text was printed already: `--help`. */
  | { readonly kind: 'help' };

/** The report as text, or as one HTML file in the run's folder or elsewhere. */
export type ReportFormat =
  { readonly kind: 'text' } | { readonly kind: 'html'; readonly file: string | undefined };

/** Parses the arguments after the program's name. What it refuses is an InputError that names the option. */
export function parseCommandLine(commandArguments: readonly string[]): CliCommand {
  let command: CliCommand = { kind: 'help' };
  const program = createProgram((chosen) => {
    command = chosen;
  });
  parseWords(program, commandArguments);
  return command;
}

type Choose = (command: CliCommand) => void;

function createProgram(choose: Choose): Command {
  const program = quiet(new Command('fair-bench'))
    .description('Measures where a performance gap between databases comes from.')
    .helpCommand(false);
  program.addCommand(
    runCommand('fair-bench', 'compare systems under equal conditions').action((options) =>
      choose({ kind: 'run', options: parseRunOptions({ mode: 'fair', ...options }) }),
    ),
  );
  program.addCommand(
    runCommand('bench', 'measure in one of the three modes')
      .option('--mode <mode>', 'fair, optimized or published', runDefaults.mode)
      .option('--claim <name>', 'the published claim whose settings are used')
      .option('--client <names>', 'node, native or both (default: by mode)')
      .option('--durability <which>', 'durable, async or both, each in a table of its own (default: by mode)')
      .option('--profile <which>', 'default, tuned or both: how the systems are set')
      .action((options, command) => {
        const isGiven = (name: string): boolean => command.getOptionValueSource(name) !== 'default';
        const searched = options.mode === 'optimized' ? searchGrid : null;
        const { sessions, depth } = options;
        const load = {
          sessions: isGiven('sessions') ? sessions : (searched?.sessions ?? sessions),
          depth: isGiven('depth') ? depth : (searched?.depth ?? depth),
        };
        choose({ kind: 'run', options: parseRunOptions({ ...options, ...load }) });
      }),
  );
  program.addCommand(
    explainCommandLine(quiet(new Command('explain'))).action((options) =>
      choose({ kind: 'explain', options: parseExplainOptions(options) }),
    ),
  );
  program.addCommand(
    quiet(new Command('list'))
      .description('targets, and why an unavailable one is')
      .option('--json', 'as JSON')
      .option('--config <file>', 'names targets of yours (default: fair-bench.config.ts, if there is one)')
      .action(({ json, config }) => choose({ kind: 'list', json: json === true, config })),
  );
  program.addCommand(
    quiet(new Command('doctor'))
      .description('what this machine can measure and what it lacks')
      .option('--json', 'as JSON')
      .option('--config <file>', 'names targets of yours (default: fair-bench.config.ts, if there is one)')
      .action(({ json, config }) => choose({ kind: 'doctor', json: json === true, config })),
  );
  addResultCommands(program, choose);
  program.addCommand(
    quiet(new Command('new-connector'))
      .description('write the package of a new connector')
      .argument('<name>', '<system>-<route>')
      .action((name) => choose({ kind: 'new-connector', name })),
  );
  return program;
}

function addResultCommands(program: Command, choose: Choose): void {
  program.addCommand(
    quiet(new Command('report'))
      .description('render the report of a run again, from its files')
      .argument('<run>', 'the folder of a run')
      .option('--html', 'as one HTML file that opens without a network (default: text)')
      .option('--out <file>', 'where the HTML goes (default: report.html in the folder)')
      .action((directory, { html, out }) => {
        if (out !== undefined && html !== true) {
          throw new InputError(`--out: got "${out}" without --html; accepts a file for the HTML`);
        }
        const format: ReportFormat = html === true ? { kind: 'html', file: out } : { kind: 'text' };
        choose({ kind: 'report', directory, format });
      }),
  );
  program.addCommand(
    quiet(new Command('compare'))
      .description('compare two runs, cell by cell')
      .argument('<before>', 'the folder of a run')
      .argument('<after>', 'the folder of a run')
      .option('--fail-on <what>', 'regression: exit 4 when a cell became slower')
      .action((before, after, { failOn }) => {
        if (failOn !== undefined && failOn !== 'regression') {
          throw new InputError(`--fail-on: got "${failOn}"; accepts regression`);
        }
        choose({ kind: 'compare', before, after, failOnRegression: failOn === 'regression' });
      }),
  );
}

/** A command that measures; its options are texts until parseRunOptions has seen them. */
function runCommand(name: string, description: string) {
  const defaults = runDefaults;
  return quiet(new Command(name))
    .description(description)
    .option('--systems <names>', 'targets or systems, by commas (default: all that are found)')
    .option('--alpha <numbers>', 'skew of the account choice; 0 is uniform', defaults.alpha)
    .option('--sessions <numbers>', 'client connections', defaults.sessions)
    .option('--depth <numbers>', 'the most operations outstanding per session', defaults.depth)
    .option('--duration <time>', 'timed window of a trial', defaults.duration)
    .option('--warmup <time>', 'the least warm-up before it', defaults.warmup)
    .option('--trials <number>', 'rounds: every cell is measured once in each', defaults.trials)
    .option('--accounts <number>', 'accounts in the dataset', defaults.accounts)
    .option('--seed <number>', 'decides operations and order', defaults.seed)
    .option('--rate <numbers>', 'open loop: operations per second over all sessions, also several')
    .option('--out <dir>', 'where the results go (default: results/<run>)')
    .option('--strict', 'exit 3 when the comparison is not fair', false)
    .option('--url <system=url>', "an endpoint of yours for a system's connectors", collect, [])
    .option('--no-scramble', 'account ids in order of their heat')
    .option('--threads <number>', 'threads of the load client', defaults.threads)
    .option('--processes <number>', 'processes of each application server', defaults.processes)
    .option('--pool-size <number>', 'database connections of each application server', defaults.poolSize)
    .option('--provider <name>', 'docker: databases in containers, by docker-compose-fair.yml')
    .option('--config <file>', 'names targets of yours (default: fair-bench.config.ts, if there is one)')
    .option('--data-dir <dir>', 'where databases put their data')
    .option('--set <target.key=value>', 'a setting of one connector', collect, []);
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
