import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const main = fileURLToPath(new URL('double-main.ts', import.meta.url));
const startTimeoutMs = 20_000;
const stopTimeoutMs = 5_000;
const placeSchema = z.strictObject({ url: z.string(), adminKey: z.string(), dataDirectory: z.string() });

export interface DoubleProcess extends z.infer<typeof placeSchema> {
  close(): Promise<void>;
}

/** A double with a workload's functions in its own process, for trials by the real load client. */
export async function startDoubleProcess(workload: string): Promise<DoubleProcess> {
  const child = spawn(process.execPath, [main, workload], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const signal = AbortSignal.timeout(startTimeoutMs);
  const [line]: unknown[] = await Promise.race([
    once(lines, 'line', { signal }),
    ended.then(() => Promise.reject(new Error('the double ended before it listened'))),
  ]);
  const place = placeSchema.parse(JSON.parse(z.string().parse(line)));
  return {
    ...place,
    async close() {
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      child.stdin.end();
      await ended;
      clearTimeout(timer);
    },
  };
}
