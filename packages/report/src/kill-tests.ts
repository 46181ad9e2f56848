import type { KillTest } from '@fair-bench/results';
import { afterFlush, describeKillTest } from './sections/durability.ts';
import { absent, formatNumber } from './sections/format.ts';
import { left, type Section, tableOf } from './sections/section.ts';
import { renderSection, type TerminalOptions } from './terminal.ts';

/** The table of `npm run kill-test`, with its limits. */
export function renderKillTests(tests: readonly KillTest[], options: TerminalOptions): string {
  return `${renderSection(killTestSection(tests), options)}\n`;
}

function killTestSection(tests: readonly KillTest[]): Section {
  return {
    title: 'Kill tests',
    lines: [
      'Every process of the server was ended by SIGKILL under load, and every row audited after its restart. "Lost" refutes a durable level. "Nothing lost" shows that an acknowledged operation survives the end of its process, and no more: what was written and not flushed is still in the page cache. A power cut is spoken of by the flushes alone: one commit after the other must cost one each, and be acknowledged after it.',
      'Could hide: acknowledged operations whose loss would be invisible, because operations in doubt touch all of their rows. Any other loss leaves a row that nothing explains, unless losses cancel one another on every row.',
    ],
    table: tableOf(columns, tests),
  };
}

const columns = [
  left('target', ({ connector }: KillTest) => connector),
  left('durability requested', ({ level }: KillTest) => level),
  left('server', ({ system, version }: KillTest) => `${system} ${version}`),
  left('file system', ({ fileSystem }: KillTest) => fileSystem),
  left('found', describeKillTest),
  left('in doubt', ({ kills }: KillTest) => sum(kills.map(({ inDoubt }) => inDoubt))),
  left('could hide', ({ kills }: KillTest) => sum(kills.map(({ couldHide }) => couldHide))),
  left('rows not explained', ({ kills }: KillTest) =>
    sum(kills.map(({ rowsUnexplained }) => rowsUnexplained)),
  ),
  left('flushes per commit', ({ commits }: KillTest) =>
    commits === null || commits.flushesPerOperation === null
      ? absent
      : formatNumber(commits.flushesPerOperation),
  ),
  left('acknowledged after a flush', ({ commits }: KillTest) =>
    commits === null || commits.afterFlushShare === null ? absent : afterFlush(commits.afterFlushShare),
  ),
  left('ms per commit', ({ commits }: KillTest) =>
    commits === null ? absent : formatNumber(commits.latencyMsP50),
  ),
];

function sum(counts: readonly number[]): string {
  return counts.reduce((total, count) => total + count, 0).toLocaleString('en-US');
}
