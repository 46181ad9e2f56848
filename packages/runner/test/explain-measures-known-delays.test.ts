import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readSummary, startCommand } from './support/command.ts';
import { present } from '@fair-bench/analysis/test-support';

const scratch = mkdtempSync(join(tmpdir(), 'fair-bench-explain-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

// Delays that dwarf what the harness and a busy machine add to them.
const slow = '--set null-http.delayMs=50 --sessions 8 --accounts 1000 --trials 2 --deployments 1'.split(' ');
const short = '--duration 1s --warmup 200ms --measure-again 0'.split(' ');
// Each session waits out its delay, whatever the others do.
const known = { depth: 2, sessions: 1.5 };

describe('a gap that is a product of known factors, at a server that answers after a delay', () => {
  test('is split into them, in a summary that can be made again from its trials', async () => {
    const out = mkdtempSync(join(scratch, 'known-'));
    const ends = ['--from', 'null-http[sessions=8]', '--to', 'null-http[sessions=12,depth=2]'];
    const command = startCommand(['explain', ...ends, ...slow, ...short, '--verbose', '--out', out]);
    expect(await command.ended, command.output()).toBe(0);
    const { explanation, run } = await readSummary(out);
    const { factors, ratio, path, model } = present(explanation);
    expect(run.mode).toBe('explain');
    expect(model).toMatchObject({ cellsPossible: 4, cellsMeasured: 4, termsMissing: 0 });
    const found = Object.fromEntries(factors.map(({ name, multiplier }) => [name, multiplier]));
    expect(Object.keys(found)).toEqual(Object.keys(known));
    for (const [name, multiplier] of Object.entries(known)) {
      expect(Math.abs(Math.log((found[name] ?? 0) / multiplier))).toBeLessThan(Math.log(1.15));
    }
    const product = path.reduce((all, { multiplier }) => all * multiplier, 1);
    expect(Math.abs(product / ratio - 1)).toBeLessThan(0.01);

    expect(command.output()).toContain('Where the gap comes from');
    const again = startCommand(['report', out, '--verbose']);
    expect(await again.ended, again.output()).toBe(0);
    expect(again.output()).toContain('Where the gap comes from');
    expect(again.output()).not.toContain('DIFFERS');
  }, 120_000);

  test('is not measured when an end of its gap does not start, and reports that', async () => {
    const out = mkdtempSync(join(scratch, 'lost-'));
    const ends = ['--from', 'null-http', '--to', 'spacetimedb-sdk'];
    const program = join(scratch, 'spacetimedb-standalone');
    writeFileSync(program, '#!/bin/sh\n[ "$1" = --version ] && echo "spacetimedb 2.8.0" && exit 0\nexit 1\n');
    chmodSync(program, 0o755);
    const broken = { ...process.env, FAIR_BENCH_SPACETIMEDB_BIN: program };
    const command = startCommand(['explain', ...ends, ...slow, ...short, '--verbose', '--out', out], broken);
    expect(await command.ended, command.output()).toBe(1);
    const summary = await readSummary(out);
    expect(summary.explanation).toBeUndefined();
    expect(summary.cells.map(({ status }) => status)).toEqual(summary.cells.map(() => 'unavailable'));
    expect(command.output()).toContain('an end of the gap is unavailable: spacetimedb-sdk-a0.5-d1-s8');
    expect(command.output()).toContain('No explanation: one of the two ends has no number in this run.');
  }, 120_000);
});
