import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test, vi } from 'vitest';

const fixture = fileURLToPath(new URL('fixtures/interruptible.ts', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'fair-bench-interruption-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function notesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

async function ready(file: string): Promise<number> {
  await vi.waitFor(() => expect(notesOf(file)[0]).toMatch(/^ready \d+$/), { timeout: 10_000 });
  return Number(notesOf(file)[0]?.split(' ')[1]);
}

async function ended(child: ChildProcess): Promise<number | null> {
  return await new Promise((resolve) => child.on('close', (code) => resolve(code)));
}

describe('an interruption', () => {
  test.concurrent.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s, however often, aborts once and exits 130',
    async (signal) => {
      const file = join(scratch, signal);
      const child = spawn(process.execPath, [fixture, file], { stdio: 'ignore' });
      const end = ended(child);
      const pid = await ready(file);
      process.kill(pid, signal);
      await vi.waitFor(() => expect(notesOf(file)).toHaveLength(2), { timeout: 10_000 });
      process.kill(pid, signal);
      process.kill(pid, signal);
      expect(await end).toBe(130);
      expect(notesOf(file).slice(1)).toEqual([`${signal}: stopping, and saving what was measured`, 'closed']);
    },
  );

  test.concurrent('the end of the parent process is an interruption too', async () => {
    const file = join(scratch, 'orphan');
    const script = `require('node:child_process').spawn(process.execPath, ${JSON.stringify([fixture, file])}, { stdio: 'ignore' }); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    await ready(file);
    parent.kill('SIGKILL');
    await vi.waitFor(() => expect(notesOf(file).at(-1)).toBe('closed'), { timeout: 10_000 });
    expect(notesOf(file)[1]).toMatch(/^the end of the parent process: /);
  });

  test.concurrent('the end of the reader of the output is an interruption and no crash', async () => {
    const file = join(scratch, 'unread');
    const child = spawn(process.execPath, [fixture, file], { stdio: ['ignore', 'pipe', 'ignore'] });
    const end = ended(child);
    await ready(file);
    child.stdout.destroy();
    expect(await end).toBe(130);
    expect(notesOf(file)[1]).toMatch(/^the end of the reader of standard output: /);
    expect(notesOf(file).at(-1)).toBe('closed');
  });
});
