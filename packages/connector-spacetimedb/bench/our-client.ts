import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runSummarySchema } from '@fair-bench/results';
import type { Rates, Server, Setting } from './setting.ts';

const runner = fileURLToPath(new URL('../../runner/src/main.ts', import.meta.url));
const runTimeoutMs = 180_000;

/** One audited trial by the suite itself, in a database of its own on the server. */
export async function ourRates(setting: Setting, { url }: Server, depth: number): Promise<Rates> {
  const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-ours-'));
  const out = join(scratch, 'run');
  const options = {
    '--systems': 'spacetimedb-sdk',
    '--url': `spacetimedb=${url}`,
    '--alpha': String(setting.alpha),
    '--sessions': String(setting.sessions),
    '--depth': String(depth),
    '--duration': `${setting.seconds}s`,
    '--warmup': `${setting.warmupSeconds}s`,
    '--accounts': String(setting.accounts),
    '--trials': '1',
    '--threads': '1',
    '--out': out,
  };
  try {
    const words = [runner, 'fair-bench', ...Object.entries(options).flat()];
    const ended = await run(words);
    const summary = runSummarySchema.parse(JSON.parse(await readFile(join(out, 'summary.json'), 'utf8')));
    const [cell] = summary.cells;
    if (cell?.status !== 'ok') throw new Error(`our trial does not hold: ${ended}`);
    return { perSecond: cell.tps.mean, cpuUs: cell.cpuUsPerTxn.client };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Runs the suite; what it says of a trial that is void, or how it ends. */
async function run(words: readonly string[]): Promise<string> {
  try {
    await promisify(execFile)(process.execPath, words, { timeout: runTimeoutMs });
    return 'ended in good order';
  } catch (error) {
    const output =
      error instanceof Error && 'stdout' in error && typeof error.stdout === 'string' ? error.stdout : '';
    return /void: .*/.exec(output)?.[0] ?? (error instanceof Error ? error.message : String(error));
  }
}
