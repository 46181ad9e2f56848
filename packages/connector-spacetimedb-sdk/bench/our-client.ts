import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runSummarySchema } from '@fair-bench/contract';
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
    await promisify(execFile)(process.execPath, words, { timeout: runTimeoutMs });
    const summary = runSummarySchema.parse(JSON.parse(await readFile(join(out, 'summary.json'), 'utf8')));
    const [cell] = summary.cells;
    if (cell?.status !== 'ok') throw new Error(`our cell is ${JSON.stringify(cell)}`);
    return { perSecond: cell.tps.mean, cpuUs: cell.cpuUsPerTxn.client };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
