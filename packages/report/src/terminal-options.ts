import type { TerminalOptions } from './terminal.ts';

const widthWithoutTerminal = 100;
const widthOfAllSections = 160;

/** How to render for a stream: colours and the real width on a terminal, otherwise neither. */
export function terminalOptions(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'hasColors'>,
  verbose: boolean,
): TerminalOptions {
  if (stream.isTTY) return { color: stream.hasColors(), width: stream.columns, verbose };
  return { color: false, width: verbose ? widthOfAllSections : widthWithoutTerminal, verbose };
}
