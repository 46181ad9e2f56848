import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runSummarySchema } from '@fair-bench/results';
import { skipWithoutServer } from './skip-without-server.ts';

const main = fileURLToPath(new URL('../../runner/src/main.ts', import.meta.url));
// The first run of a version also kills its server.
const testTimeoutMs = 180_000;
const run =
  'fair-bench --systems spacetimedb-sdk --alpha 0.5 --depth 1 --sessions 8 --accounts 1000 --duration 500ms --warmup 200ms --measure-again 0 --trials 1 --strict';

test.for([
  { confirmedReads: 'true', fair: true, code: 0, subjects: [] },
  {
    confirmedReads: 'false',
    fair: false,
    code: 3,
    subjects: ['durability before acknowledgement', 'confirmed_reads'],
  },
])(
  'with confirmed reads $confirmedReads the verdict is fair: $fair',
  { timeout: testTimeoutMs },
  async ({ confirmedReads, fair, code, subjects }, { skip }) => {
    await skipWithoutServer(skip);
    const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-unconfirmed-'));
    const out = mkdtempSync(join(scratch, 'run-'));
    try {
      const words = ['--set', `spacetimedb-sdk.confirmedReads=${confirmedReads}`, '--out', out];
      const ended = await command([...run.split(' '), ...words]);
      expect(ended.code, ended.output).toBe(code);
      expect(ended.output.includes('NOT FAIR')).toBe(!fair);
      const summary = runSummarySchema.parse(JSON.parse(await readFile(join(out, 'summary.json'), 'utf8')));
      expect(summary.verdict.fair).toBe(fair);
      expect(summary.verdict.differences.map(({ subject }) => subject)).toEqual(subjects);
      const [cell] = summary.cells;
      if (cell?.status !== 'ok') throw new Error(`the cell is ${cell?.status}`);
      expect(cell.facts.durability).toBe(fair ? 'durable' : 'async');
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
);

async function command(words: readonly string[]): Promise<{ code: number | null; output: string }> {
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...words],
      { timeout: testTimeoutMs },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}
