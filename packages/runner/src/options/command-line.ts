import { Command, Option } from '@commander-js/extra-typings';
import { InputError } from '@fair-bench/contract';
import { z } from 'zod';
import { parseWords, quiet } from './commander.ts';
import { type CommandName, type CommandText, commandTexts } from './commands.ts';
import { type ExplainOptions, parseExplainOptions } from './explain-options.ts';
import { type DescribedOption, describedOptions } from './option-texts.ts';
import { parseRunOptions, parseTexts, type RunOptions } from './run-options.ts';
import { compareOptions, lookOptions, reportOptions, searchGrid } from './table.ts';

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

/** The texts of a command's options; what is not given is not among them. */
type Texts = Readonly<Record<string, unknown>>;

/** What each command makes of its options and arguments. */
const commands: Readonly<
  Record<CommandName, (texts: Texts, commandArguments: readonly string[]) => CliCommand>
> = {
  'fair-bench': (texts) => ({ kind: 'run', options: parseRunOptions(texts) }),
  bench: (texts) => {
    const searched = texts['mode'] === 'optimized' ? searchGrid : {};
    return { kind: 'run', options: parseRunOptions({ ...searched, ...texts }) };
  },
  explain: (texts) => ({ kind: 'explain', options: parseExplainOptions(texts) }),
  list: (texts) => ({ kind: 'list', config: undefined, ...parseTexts(z.strictObject(lookOptions), texts) }),
  doctor: (texts) => ({
    kind: 'doctor',
    config: undefined,
    ...parseTexts(z.strictObject(lookOptions), texts),
  }),
  report: (texts, [directory = '']) => {
    const { html, out } = parseTexts(z.strictObject(reportOptions), texts);
    if (out !== undefined && !html) {
      throw new InputError(`--out: got "${out}" without --html; accepts a file for the HTML`);
    }
    return { kind: 'report', directory, format: html ? { kind: 'html', file: out } : { kind: 'text' } };
  },
  compare: (texts, [before = '', after = '']) => {
    const { failOn } = parseTexts(z.strictObject(compareOptions), texts);
    return { kind: 'compare', before, after, failOnRegression: failOn === 'regression' };
  },
  'new-connector': (_texts, [name = '']) => ({ kind: 'new-connector', name }),
};

function commandOf(
  text: CommandText,
  choose: (words: readonly string[], texts: Texts) => void,
): Command<string[]> {
  const command: Command<string[]> = quiet(new Command(text.name)).description(text.meaning);
  for (const { name, meaning } of text.arguments) command.argument(`<${name}>`, meaning);
  for (const option of describedOptions(text.options)) command.addOption(commanderOption(option));
  return command.action(() => choose(command.args, command.opts()));
}

function commanderOption({ flag, argument, meaning, defaultText, isRepeatable }: DescribedOption): Option {
  const description = `${meaning}${defaultText === null ? '' : ` (default: ${defaultText})`}`.replaceAll(
    '`',
    '',
  );
  const option = new Option(argument === null ? flag : `${flag} <${argument}>`, description);
  return isRepeatable ? option.argParser(collect) : option;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
