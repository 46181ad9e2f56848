import { Command } from '@commander-js/extra-typings';
import { InputError } from '@fair-bench/contract';
import { z } from 'zod';
import { parseWords, quiet, tableCommand } from './commander.ts';
import { type CommandName, type CommandText, commandTexts } from './commands.ts';
import { type ExplainOptions, parseExplainOptions } from './run-options.ts';
import { optionName } from './option-texts.ts';
import { type KillTestOptions, parseKillTestOptions } from './run-options.ts';
import { parseRunOptions, parseTexts, runDefaults, type RunOptions, searchGrid } from './run-options.ts';
import { compareOptions, historyOptions, lookOptions, reportOptions } from './table.ts';
import { soakOf, soakOptions, type SoakSetting } from './soak-options.ts';
import { newConnectorOptions, newWorkloadOptions } from './new-options.ts';

/**
 * How a new connector reaches its system: a server with SQL by its driver, an engine with SQL in a process of ours, a
 * key-value server, or any other.
 */
export type ConnectorForm = 'sql' | 'embedded' | 'key-value' | 'general';

/** The parsed command line: every value is checked as far as possible without reading the workspace. */
export type CliCommand =
  | {
      readonly kind: 'run';
      readonly options: RunOptions;
      /** The two that `compare --interleave` names. */
      readonly comparing?: { readonly ends: readonly [string, string]; readonly failOnRegression: boolean };
      /** Of `soak`. */
      readonly soak?: SoakSetting;
    }
  | { readonly kind: 'explain'; readonly options: ExplainOptions }
  | { readonly kind: 'kill-test'; readonly options: KillTestOptions }
  | { readonly kind: 'list' | 'doctor'; readonly json: boolean; readonly config: string | undefined }
  | { readonly kind: 'report'; readonly directory: string; readonly format: ReportFormat }
  | {
      readonly kind: 'compare';
      readonly before: string;
      readonly after: string;
      readonly failOnRegression: boolean;
    }
  | { readonly kind: 'history'; readonly target: string; readonly format: ReportFormat }
  | { readonly kind: 'new-connector'; readonly name: string; readonly form: ConnectorForm }
  | { readonly kind: 'new-workload'; readonly name: string; readonly at: string | undefined }
  | { readonly kind: 'init' }
  /** `--help`, already printed. The workload is null for a command without one. */
  | { readonly kind: 'help'; readonly workload: string | null };

/** The report as text, or as one HTML file in the run's folder or elsewhere. */
export type ReportFormat =
  | { readonly kind: 'text'; readonly verbose: boolean }
  | { readonly kind: 'html'; readonly file: string | undefined };

/** Parses the arguments after the program's name. An InputError names the refused option. */
export function parseCommandLine(commandArguments: readonly string[]): CliCommand {
  let command: CliCommand = { kind: 'help', workload: workloadOf(commandArguments) };
  const program = quiet(new Command('fair-bench'))
    .description('Measures where a performance gap between databases comes from.')
    .helpCommand(false);
  for (const text of commandTexts) {
    program.addCommand(
      commandOf(text, (words, texts) => {
        command = commands[text.name](texts, words);
      }),
    );
  }
  parseWords(program, commandArguments);
  return command;
}

/** The workload of a command whose help is printed, if it has one. */
function workloadOf([name, ...words]: readonly string[]): string | null {
  const command = commandTexts.find((one) => one.name === name);
  if (command === undefined || !('workload' in command.options)) return null;
  const at = words.indexOf('--workload');
  const inline = words.find((word) => word.startsWith('--workload='))?.slice('--workload='.length);
  return inline ?? (at === -1 ? undefined : words[at + 1]) ?? runDefaults['workload'] ?? null;
}

/** The texts of the options that are given. */
type Texts = Readonly<Record<string, unknown>>;

/** How each command reads its options and arguments. */
const commands: Readonly<
  Record<CommandName, (texts: Texts, commandArguments: readonly string[]) => CliCommand>
> = {
  'fair-bench': (texts) => ({ kind: 'run', options: parseRunOptions({ ...quickly(texts), ...texts }) }),
  bench: (texts) => ({ kind: 'run', options: parseRunOptions({ ...defaultsOf(texts), ...texts }) }),
  explain: (texts) => ({
    kind: 'explain',
    options: parseExplainOptions({ ...(texts['quick'] === true ? { deployments: '1' } : {}), ...texts }),
  }),
  'kill-test': (texts) => ({ kind: 'kill-test', options: parseKillTestOptions(texts) }),
  soak: soakCommandOf,
  list: (texts) => ({ kind: 'list', ...lookOf(texts) }),
  doctor: (texts) => ({ kind: 'doctor', ...lookOf(texts) }),
  report: (texts, [directory = '']) => ({
    kind: 'report',
    directory,
    format: formatOf(parseTexts(z.strictObject(reportOptions), texts)),
  }),
  compare: compareOf,
  history: (texts, [target = '']) => ({
    kind: 'history',
    target,
    format: formatOf(parseTexts(z.strictObject(historyOptions), texts)),
  }),
  'new-connector': (texts, [name = '']) => ({
    kind: 'new-connector',
    name,
    form: formOf(parseTexts(newConnectorSchema, texts)),
  }),
  'new-workload': (texts, [name = '']) => ({
    kind: 'new-workload',
    name,
    at: undefined,
    ...parseTexts(z.strictObject(newWorkloadOptions), texts),
  }),
  init: () => ({ kind: 'init' }),
};

const newConnectorSchema = z.strictObject(newConnectorOptions);

/** The one that was named; an InputError where several were. */
function formOf({ sql, embedded, keyValue }: z.infer<typeof newConnectorSchema>): ConnectorForm {
  const named = [sql ? 'sql' : null, embedded ? 'embedded' : null, keyValue ? 'key-value' : null] as const;
  const [form = 'general', other] = named.filter((each) => each !== null);
  if (other === undefined) return form;
  throw new InputError(
    `--${other}: got it with --${form}; accepts only one of --sql, --embedded and --key-value`,
  );
}

function lookOf(texts: Texts) {
  return { config: undefined, ...parseTexts(z.strictObject(lookOptions), texts) };
}

interface Format {
  readonly html: boolean;
  readonly out?: string | undefined;
  readonly verbose?: boolean;
}

function formatOf({ html, out, verbose = false }: Format): ReportFormat {
  if (out !== undefined && !html) {
    throw new InputError(`--out: got "${out}" without --html; accepts a file for the HTML`);
  }
  return html ? { kind: 'html', file: out } : { kind: 'text', verbose };
}

/** Its rounds are slices, on servers that are started once. */
function soakCommandOf({ for: time, slice, interleave, ...ofRun }: Texts): CliCommand {
  const soak = soakOf(parseTexts(z.strictObject(soakOptions), { for: time, slice, interleave }));
  const options = parseRunOptions({ ...ofRun, duration: `${soak.sliceMs}ms`, deployments: '1' });
  return { kind: 'run', options: { ...options, trials: soak.slices, measureAgain: 0 }, soak };
}

/** Two targets are a run of the two, with the first as baseline. */
function compareOf(
  { failOn, interleave, ...ofRun }: Texts,
  [before = '', after = '']: readonly string[],
): CliCommand {
  const own = parseTexts(z.strictObject(compareOptions), { failOn, interleave });
  const failOnRegression = own.failOn === 'regression';
  if (own.interleave) {
    const options = parseRunOptions({ ...ofRun, systems: `${before},${after}` });
    return { kind: 'run', options, comparing: { ends: [before, after], failOnRegression } };
  }
  const [stray] = Object.keys(ofRun);
  if (stray !== undefined) throw new InputError(`${optionName(stray)}: accepts nothing without --interleave`);
  return { kind: 'compare', before, after, failOnRegression };
}

/** The defaults of `--quick`; its time is the plan's. */
function quickly({ quick, fault, trials, budget, precision }: Texts): Texts {
  // The rounds of a run with faults say what load to offer; one is enough.
  const isOneRound = fault !== undefined && [trials, budget, precision].every((one) => one === undefined);
  return {
    ...(quick === true ? { deployments: '1' } : {}),
    ...(isOneRound && quick !== true ? { trials: '1' } : {}),
  };
}

/** What depends on the mode: optimized mode searches. */
function defaultsOf(texts: Texts): Texts {
  if (texts['mode'] === 'optimized') {
    return { ...searchGrid, ...(texts['quick'] === true ? { deployments: '1' } : {}) };
  }
  return quickly(texts);
}

function commandOf(
  text: CommandText,
  choose: (words: readonly string[], texts: Texts) => void,
): Command<string[]> {
  const command = tableCommand(text, choose);
  if (!('param' in text.options) || text.arguments.length > 0) return command;
  // An option that no command has may be a parameter of the workload; the plan checks it.
  command.allowUnknownOption().allowExcessArguments();
  return command.action(() => {
    const texts: Texts = command.opts();
    const given = z.array(z.string()).parse(texts['param'] ?? []);
    choose([], { ...texts, param: [...given, ...parametersIn(command.args)] });
  });
}

/** `--rows 1,2` and `--rows=1,2` as `rows=1,2`; `--no-rows` as `rows=false`. */
function parametersIn(words: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, no, name, value] = /^--(no-)?([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined)
      throw new InputError(`unexpected argument "${word}"; see --help for what is accepted`);
    if (value !== undefined) found.push(`${name}=${value}`);
    else if (no !== undefined) found.push(`${name}=false`);
    else {
      const next = words[at + 1];
      const isValue = next !== undefined && !next.startsWith('--');
      found.push(`${name}=${isValue ? next : 'true'}`);
      if (isValue) at += 1;
    }
  }
  return found;
}
