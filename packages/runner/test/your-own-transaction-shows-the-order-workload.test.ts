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
