import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { command } from './support/native.ts';

function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(command ?? '', args, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

describe.skipIf(command === null)('the native client by hand', () => {
  test.each([
    [['bench', '--url', 'postgres://x', '--depth', '0'], /--depth.* 0 is not in 1\.\.=65536|'0'.*--depth/],
    [
      ['bench', '--url', 'postgres://x', '--duration', '10'],
      /'10'.*--duration.*accepts a time with its unit/,
    ],
    [['bench', '--url', 'postgres://x', '--alpha', 'x'], /'x'.*--alpha.*accepts a number from 0 to 32/],
    [['bench', '--url', 'ftp://x'], /--url: accepts postgres:.*http:/],
    [['bench', '--url', 'http://127.0.0.1:1'], /--balances-url: accepts the postgres:/],
    [['bench'], /--url <URL>/],
    [['seed', '--url', 'postgres://x', '--accounts', '1'], /'1'.*--accounts.*accepts a whole number from 2/],
    [['sow'], /'sow'/],
  ])('%j: exit code 2 and what is accepted', async (args, message) => {
    const { code, stdout, stderr } = await run(...args);

    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('--help explains', async () => {
    const { code, stdout } = await run('--help');

    expect(code).toBe(0);
    expect(stdout).toContain('native bench --url');
    expect(stdout).toContain('PROTOCOL.md');
  });

  test('a database that cannot be reached: exit code 1, one line without the password', async () => {
    const { code, stderr } = await run('seed', '--url', 'postgres://u:secret@127.0.0.1:9/d');

    expect(code).toBe(1);
    expect(stderr).toMatch(/^native: postgres:\/\/127.0.0.1:9\/d: .*refused/);
    expect(stderr).not.toContain('secret');
  });
});
