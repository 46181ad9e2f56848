import { Command, CommanderError, Option } from '@commander-js/extra-typings';
import { InputError } from '@fair-bench/contract';
import type { CommandText } from './commands.ts';
import { type DescribedOption, describedOptions } from './option-texts.ts';

/** A command whose errors are thrown, so that one place prints them. */
export function quiet(command: Command): Command {
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .allowExcessArguments(false);
}

/** A command by its options' table; `choose` gets its arguments and the texts of the options that are given. */
export function tableCommand(
  { name, meaning, arguments: words, options }: Omit<CommandText, 'name'> & { readonly name: string },
  choose: (words: readonly string[], texts: Readonly<Record<string, unknown>>) => void,
): Command<string[]> {
  const command: Command<string[]> = quiet(new Command(name)).description(meaning);
  for (const word of words) command.argument(`<${word.name}>`, word.meaning);
  for (const option of describedOptions(options)) command.addOption(commanderOption(option));
  return command.action(() => choose(command.args, command.opts()));
}

/**
 * Parses the words after the program's name and runs the chosen action. A refusal is an InputError; `--help` prints
 * and returns.
 */
export function parseWords(program: Command, words: readonly string[]): void {
  try {
    program.parse([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new InputError(explain(error), { cause: error });
  }
}

function explain(error: CommanderError): string {
  if (error.code === 'commander.help') return 'no command given; --help lists the commands';
  return `${error.message.replace(/^error: /, '')}; see --help for what is accepted`;
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
