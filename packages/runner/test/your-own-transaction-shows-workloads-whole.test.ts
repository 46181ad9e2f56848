import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8').replaceAll('\r\n', '\n');
const linesOf = (path: string): number => read(path).trimEnd().split('\n').length;

test.each([
  ...['workload.ts', 'postgres.sql', 'sqlite-drizzle.ts', 'postgres-drizzle.ts'].map(
    (file) => `order/${file}`,
  ),
  ...['workload.ts', 'postgres.sql', 'sqlite-drizzle.ts'].map((file) => `points/${file}`),
])('docs/your-own-transaction.md shows workloads/%s whole', (file) => {
  expect(read('docs/your-own-transaction.md')).toContain(`\n${read(`workloads/${file}`).trimEnd()}\n\`\`\``);
});

test.each([
  ['order', 80],
  ['points', 90],
])(
  'the description of %s, its PostgreSQL function and its SQLite binding have as many lines as the page says, at most %i',
  (workload, most) => {
    const files = ['workload.ts', 'postgres.sql', 'sqlite-drizzle.ts'];
    const sum = files.reduce((total, file) => total + linesOf(`workloads/${workload}/${file}`), 0);
    expect(sum).toBeLessThanOrEqual(most);
    expect(read('docs/your-own-transaction.md')).toContain(`have ${sum} lines`);
  },
);
