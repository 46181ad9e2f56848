export { answerOf } from './answer.ts';
export { renderBesideFair, renderComparison } from './comparison.ts';
export { renderHistory } from './history.ts';
export { renderKillTests } from './kill-tests.ts';
export { answerTable, renderMarkdown } from './markdown.ts';
export { type TerminalOptions, renderTerminal, terminalOptions } from './terminal.ts';
