import { type ChildProcess, spawn } from 'node:child_process';
import { inTestAll } from '@fair-bench/contract/test-support';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { byHandPath, loadClientArguments } from '@fair-bench/load-client';
import { clientCommandSchema, clientEventSchema, type TrialPlan } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { startCommand } from './support/command.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const load = ['--alpha', '0.5', '--depth', '2', '--sessions', '4', '--accounts', '100'];
const run = [
  'fair-bench',
  '--systems',
  'sqlite-drizzle',
  ...load,
  '--duration',
  '300ms',
  '--warmup',
  '100ms',
];
const cell = 'sqlite-drizzle-a0.5-d2-s4';

inTestAll(() => {
  test('the printed command carries the printed plan out and has a result; then nothing is left', async () => {
    const command = spawn(process.execPath, [main, ...run, '--print-plan', cell], { stdio: 'pipe' });
    const said = linesOf(command.stderr);
    const [line = ''] = await linesOf(command.stdout).next(1);
    const given = clientCommandSchema.parse(JSON.parse(line));
    if (given.type !== 'plan') throw new Error(`it printed ${line}`);
    const { plan } = given;
    expect(plan).toMatchObject({
      sessions: 4,
      depth: 2,
      workload: { tables: [{ name: 'account', rows: 100 }] },
    });

    const [, shown = ''] = await said.next(2);
    const words = shown.split(' ');
    const file = words[words.indexOf(byHandPath) + 1] ?? '';
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(plan);
    expect(shown).toContain(loadClientArguments.join(' '));
    const byHand = spawn(shown, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
    expect(await appliedBy(byHand)).toBeGreaterThan(0);

    command.stdin.end();
    expect(await once(command, 'close')).toEqual([0, null]);
    expect(existsSync(file)).toBe(false);
    await expect(fetch(endpointOf(plan))).rejects.toThrow('fetch failed');
  }, 60_000);
});

test('an unknown cell is refused with the existing ones, before anything is started', async () => {
  const command = startCommand([...run, '--print-plan', 'sqlite-drizzle-a0.5-d2-s5']);
  expect(await command.ended).toBe(2);
  expect(command.output()).toBe(
    `fair-bench: --print-plan: got "sqlite-drizzle-a0.5-d2-s5"; accepts a cell of this run: ${cell} (did you mean "${cell}"?)\n`,
  );
});

/** The operations that a load client applied in its window, read after it has ended by itself. */
async function appliedBy(client: ChildProcess): Promise<number> {
  if (client.stdout === null) throw new Error('it has no output');
  const ended = once(client, 'close');
  let applied = 0;
  for await (const line of createInterface({ input: client.stdout })) {
    const event = clientEventSchema.parse(JSON.parse(line));
    if (event.type === 'result') applied = event.result.window.applied;
  }
  expect(await ended).toEqual([0, null]);
  return applied;
}

function endpointOf({ endpoint }: TrialPlan): string {
  return endpoint.url;
}

/** The first lines of a stream, as they come. */
function linesOf(stream: NodeJS.ReadableStream): { next(count: number): Promise<readonly string[]> } {
  const lines: string[] = [];
  const reader = createInterface({ input: stream });
  reader.on('line', (line) => lines.push(line));
  return {
    async next(count) {
      while (lines.length < count) await once(reader, 'line', { signal: AbortSignal.timeout(30_000) });
      return lines.slice(0, count);
    },
  };
}
