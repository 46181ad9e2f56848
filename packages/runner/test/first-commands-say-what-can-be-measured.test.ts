import { expect, test } from 'vitest';
import { startCommand } from './support/command.ts';

test.each([
  { words: ['bench', '--mode', 'published'], command: 'npm run bench -- --mode published --claim pr-4432' },
  { words: ['explain'], command: 'npm run explain -- --claim pr-4432' },
])(
  '$words without a claim lists the claims, what of each can be measured, and the command',
  async ({ words, command }) => {
    const run = startCommand(words);
    expect(await run.ended, run.output()).toBe(2);
    const lines = run.output().split('\n');
    expect(lines).toContain(command);
    // PostgreSQL comes with the packages, so some of it can be measured anywhere.
    expect(lines[lines.indexOf(command) + 1]).toMatch(/^ {2}[1-9]\d* of \d+ statements can be measured here/);
    expect(run.output()).toContain('--claim NAME, one of those above');
  },
);
