import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { searchPath } from '@fair-bench/runner';
import type { BenchContext } from '../bench.ts';
import { oneRequest } from '../requests.ts';

const run = promisify(execFile);

export const wrkWarmupS = 1;

/** Latency in milliseconds, operations per second, and how much of a core the load client used, where it says so. */
export interface Seen {
  readonly p50: number;
  readonly p99: number;
  readonly tps: number;
  readonly coreShare?: number;
}

/** Why wrk is unavailable here, or null. */
export async function wrkMissing(): Promise<string | null> {
  try {
    await run('wrk', ['-v']);
    return null;
  } catch (error) {
    // It prints its version with exit code 1.
    const isThere = error instanceof Error && 'stdout' in error && String(error.stdout).startsWith('wrk ');
    return isThere ? null : 'wrk is not on PATH: install it (Debian: wrk)';
  }
}

/** wrk's measurement of one operation at the null server, with one thread, after a second of warm-up. Throws on any error. */
export async function runWrk(
  context: BenchContext,
  load: { readonly url: string; readonly connections: number; readonly durationS: number },
): Promise<Seen> {
  const script = join(context.directory, 'request.wrk.lua');
  const [path, body] = await oneRequest(context.root);
  await writeFile(script, luaOf(body));
  const url = `${load.url.replace(/\/$/, '')}${path}`;
  const measure = async (seconds: number): Promise<string> => {
    const words = ['-t', '1', '-c', String(load.connections), '-d', `${seconds}s`, '-s', script, url];
    const { stdout } = await run('wrk', words, { signal: context.signal, env: { PATH: searchPath() } });
    return stdout;
  };
  await measure(wrkWarmupS);
  const printed = await measure(load.durationS);
  const found = /^wrk p50=(\d+) p99=(\d+) requests=(\d+) us=(\d+) errors=(\d+)$/m.exec(printed);
  if (found === null || found[5] !== '0') throw new Error(`wrk: ${printed.slice(-300)}`);
  const [p50 = 0, p99 = 0, requests = 0, us = 0] = found.slice(1).map(Number);
  return { p50: p50 / 1000, p99: p99 / 1000, tps: (requests / us) * 1e6 };
}

const luaOf = (body: string): string => `wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.body = '${body}'
done = function(summary, latency, requests)
  local e = summary.errors
  local errors = e.connect + e.read + e.write + e.status + e.timeout
  io.write(string.format("wrk p50=%d p99=%d requests=%d us=%d errors=%d\\n",
    latency:percentile(50), latency:percentile(99), summary.requests, summary.duration, errors))
end
`;
