import type { KillTest } from '@fair-bench/results';
import { afterFlush, describeKills } from './sections/durability.ts';
import { absent, formatNumber } from './sections/format.ts';
import { left, type Section, tableOf } from './sections/section.ts';
import { renderSection, type TerminalOptions } from './terminal.ts';

/** The tables of `npm run kill-test`, with their limits. */
export function renderKillTests(tests: readonly KillTest[], options: TerminalOptions): string {
  const sections = [foundSection(tests), evidenceSection(tests)];
  return `${sections.map((section) => renderSection(section, options)).join('\n\n')}\n`;
}

function foundSection(tests: readonly KillTest[]): Section {
  return {
    title: 'Kill tests',
    lines: [
      'Each test ends every process of the server by SIGKILL under load, restarts it and audits every row. A durable level that lost something is refuted. "0 lost something" shows that acknowledged operations survive the end of the process. It does not show that they survive a power cut: the page cache keeps what was written and not flushed. ×16: a request has 16 operations, which are committed together.',
    ],
    table: tableOf(
      [
        ...identity,
        left('server', ({ system, version }: KillTest) => `${system} ${version}`),
        left('found', describeKills),
      ],
      tests,
    ),
  };
}

function evidenceSection(tests: readonly KillTest[]): Section {
  return {
    title: 'What they rest on',
    lines: [
      'Could hide: acknowledged operations whose loss would be invisible, because operations in doubt touch all of their rows. Any other loss leaves a row that nothing explains, unless losses cancel one another on every row. Only flushes tell whether commits survive a power cut: one commit after the other must cost a flush each and be acknowledged after it.',
    ],
    table: tableOf(
      [
        ...identity,
        left('in doubt', ({ kills }: KillTest) => sum(kills.map(({ inDoubt }) => inDoubt))),
        left('could hide', ({ kills }: KillTest) => sum(kills.map(({ couldHide }) => couldHide))),
        left('rows not explained', ({ kills }: KillTest) =>
          sum(kills.map(({ rowsUnexplained }) => rowsUnexplained)),
        ),
        left('commit on', ({ fileSystem }: KillTest) => fileSystem),
        left('ms', ({ commits }: KillTest) =>
          commits === null ? absent : formatNumber(commits.latencyMsP50),
        ),
        left('flushes', ({ commits }: KillTest) =>
          commits === null || commits.flushesPerOperation === null
            ? absent
            : formatNumber(commits.flushesPerOperation),
        ),
        left('after one', ({ commits }: KillTest) =>
          commits === null || commits.afterFlushShare === null ? absent : afterFlush(commits.afterFlushShare),
        ),
      ],
      tests,
    ),
  };
}

const identity = [left('target', ({ connector }: KillTest) => connector), left('tier', tierOf)];

/** `durable`, `durable×16`, `async`. */
function tierOf({ level, batch }: KillTest): string {
  return batch === 1 ? level : `${level}×${batch}`;
}

function sum(counts: readonly number[]): string {
  return counts.reduce((total, count) => total + count, 0).toLocaleString('en-US');
}
