import type { TerminalOptions } from './terminal.ts';

const widthWithoutTerminal = 160;

/** How to render for a stream: colours and its width on a terminal, plain and wide elsewhere. */
export function terminalOptions(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'hasColors'>,
): TerminalOptions {
  if (!stream.isTTY) return { color: false, width: widthWithoutTerminal };
  return { color: stream.hasColors(), width: stream.columns };
}
