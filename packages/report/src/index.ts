export { renderComparison } from './comparison.ts';
export { answerTable, renderMarkdown } from './markdown.ts';
export { terminalOptions } from './terminal-options.ts';
export { type TerminalOptions, renderTerminal } from './terminal.ts';
