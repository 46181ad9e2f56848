import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');

test.each(['workload.ts', 'postgres.sql', 'sqlite-drizzle.ts', 'postgres-drizzle.ts'])(
  'docs/your-own-transaction.md shows workloads/order/%s whole',
  (file) => {
    const page = read('docs/your-own-transaction.md').replaceAll('\r\n', '\n');
    expect(page).toContain(`\n${read(`workloads/order/${file}`).trimEnd()}\n\`\`\``);
  },
);

test('description, PostgreSQL function and SQLite binding have as many lines as the page says, at most 80', () => {
  const files = ['workload.ts', 'postgres.sql', 'sqlite-drizzle.ts'];
  const lines = files.map((file) => read(`workloads/order/${file}`).trimEnd().split('\n').length);
  const sum = lines.reduce((total, count) => total + count, 0);
  expect(sum).toBeLessThanOrEqual(80);
  expect(read('docs/your-own-transaction.md')).toContain(`have ${sum} lines`);
});
