import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chosen, inTestAll } from '@fair-bench/contract/test-support';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorkload } from '../src/new-workload/index.ts';
import { startCommand } from './support/command.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let parent: string;
let folder: string;

/** A workload outside the repository, as `new-workload` writes it. */
beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'fair-bench-mistakes-'));
  folder = join(parent, 'checkout');
  await createWorkload(root, 'checkout', parent);
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** Replaces a text that the workload's file has exactly once. */
function change(file: string, from: string, to: string): string {
  const path = join(folder, file);
  const before = readFileSync(path, 'utf8');
  expect(before.split(from)).toHaveLength(2);
  writeFileSync(path, before.replace(from, to));
  return path;
}

async function measure(system: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const out = mkdtempSync(join(parent, 'run-'));
  const given = [
    '--workload',
    folder,
    '--systems',
    system,
    '--items',
    '100',
    '--processes',
    '1',
    '--out',
    out,
  ];
  const shape = [
    '--sessions',
    '4',
    '--depth',
    '1',
    '--warmup',
    '0.1s',
    '--duration',
    '0.3s',
    '--trials',
    '1',
    '--measure-again',
    '0',
  ];
  const command = startCommand(['fair-bench', ...given, ...shape]);
  const code = await command.ended;
  return { code, output: command.output() };
}

describe('a description', () => {
  const mistakes: readonly [string, string, string, RegExp][] = [
    [
      'a missing column',
      "add('i.quantity', '-pieces')",
      "add('i.colour', '-pieces')",
      /effects\/0: .*colour/,
    ],
    ['a wrong type', "quantity: int64('stock')", 'quantity: text(30)', /of type int64|int64/],
    ['an unknown argument', "'-pieces')", "'-parts')", /effects\/0: .*parts/],
  ];
  test.each(chosen(mistakes, (_one, place) => place === 0))(
    'with %s ends with file and field, exit 2',
    async (_what, from, to, message) => {
      const path = change('workload.ts', from, to);
      if (to.includes('text(')) change('workload.ts', 'table, uniform }', 'table, text, uniform }');
      const { code, output } = await measure('sqlite-drizzle');
      expect(output).toContain(path);
      expect(output).toMatch(message);
      expect(code).toBe(2);
    },
  );

  test('that cannot be evaluated ends with file, line and column, exit 2', async () => {
    const path = change('workload.ts', 'effects: [add(', "returns: row('item'), effects: [add(");
    const { code, output } = await measure('sqlite-drizzle');
    const text = readFileSync(path, 'utf8');
    const line = text.slice(0, text.indexOf("row('item')")).split('\n').length;
    expect(output).toContain(`${path}: line ${line}:`);
    expect(code).toBe(2);
  });
});

describe('a binding', () => {
  const wrong: readonly [string, string, string, RegExp][] = [
    ['whose SQL fails', 'quantity: int64()', 'number: int64()', /no such column/],
    ['that returns an unknown outcome', "'sold-out'", "'gone'", /operation take.*gone/],
  ];
  test.each(chosen(wrong, (_one, place) => place === 0))(
    '%s ends with file and remedy, exit 2',
    async (_what, from, to, message) => {
      if (to.startsWith('number')) {
        change('sqlite-drizzle.ts', '${item.quantity}', '${item.number}');
        change('sqlite-drizzle.ts', 'set({ quantity: less })', 'set({ number: less })');
        change('sqlite-drizzle.ts', 'row.quantity', 'row.number');
      }
      const path = change('sqlite-drizzle.ts', from, to);
      const { code, output } = await measure('sqlite-drizzle');
      expect(output).toContain(path);
      expect(output).toMatch(message);
      expect(output).toContain('correct it');
      expect(output).not.toContain('window');
      expect(code).toBe(2);
    },
  );

  inTestAll(() => {
    test('of PostgreSQL that returns an unknown outcome ends with file and remedy, exit 2', async () => {
      const path = change('postgres.sql', "'sold-out'", "'gone'");
      const { code, output } = await measure('postgres-driver');
      expect(output).toContain(path);
      expect(output).toMatch(/operation take.*gone/);
      expect(code).toBe(2);
    });
  });

  test('that leaves out a check ends with the operation and its arguments, exit 2', async () => {
    const path = change('postgres.sql', ' AND i.quantity >= pieces', '');
    const { code, output } = await measure('postgres-driver');
    expect(output).toContain(path);
    expect(output).toMatch(/operation take: applied instead of declined \(sold-out\) with \(\d, \d+\)/);
    expect(code).toBe(2);
  });

  test('that does something else than its description says, with the rows that differ under contention', async () => {
    change('sqlite-drizzle.ts', "${sql.placeholder('pieces')}`", "${sql.placeholder('pieces')} - 1`");
    const { code, output } = await measure('sqlite-drizzle');
    expect(output).toMatch(/sqlite-drizzle: \d+ sessions at once on few rows: .*sums that no choice/);
    expect(output).toMatch(
      /- the binding \S+sqlite-drizzle\.ts, or the description beside it: compare the two/,
    );
    expect(output).toMatch(/item\.quantity of row \d+: expected -?\d+ \(−\d+\)/);
    expect(code).toBe(2);
  });
});
