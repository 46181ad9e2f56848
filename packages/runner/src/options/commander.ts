import { type Command, CommanderError } from '@commander-js/extra-typings';
import { InputError } from '@fair-bench/contract';

/** A command whose errors are thrown, so that one place prints them. */
export function quiet(command: Command): Command {
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .allowExcessArguments(false);
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
