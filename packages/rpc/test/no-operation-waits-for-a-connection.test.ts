import { mkdtemp, rm } from 'node:fs/promises';
import { chosen } from '@fair-bench/contract/test-support';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSupervisor, type RunSupervisor } from '@fair-bench/supervisor';
import { connectRpc } from '../src/client.ts';
import { rpcEndpoint, startRpcServer } from '../src/index.ts';
import { shape as workload } from './support.ts';

const [sessionCount, depth, busyMs] = [10, 8, 3];
/** Longer than undici keeps an idle connection by default. */
const idleMs = 4_500;
const loadMs = 4_000;

let logDirectory: string;
let supervisor: RunSupervisor;
beforeEach(async () => {
  logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
  supervisor = createSupervisor({ logDirectory });
});
afterEach(async () => {
  await supervisor.stopAll();
  await rm(logDirectory, { recursive: true });
});

test.each(chosen(['stock', 'tuned'] as const, (codec) => codec === 'tuned'))(
  'with every slot busy, a %s session that was idle for long has no operation waiting for more than a few others',
  async (codec) => {
    const server = await startRpcServer(supervisor, {
      name: 'one-thread-server',
      modulePath: fileURLToPath(new URL('one-thread-server.ts', import.meta.url)),
      runtime: 'node',
      settings: { workload, backend: { busyMs } },
    });
    const sessions = await Promise.all(
      Array.from({ length: sessionCount }, async (_value, index) => {
        const context = { index, depth, signal: AbortSignal.timeout(20_000), workload };
        return await connectRpc(rpcEndpoint(server.url, codec), context);
      }),
    );
    await sleep(idleMs);
    const slots = sessions.flatMap((session) => Array.from({ length: depth }, () => session));
    const untilMs = performance.now() + loadMs;
    const waitsMs: number[] = [];
    await Promise.all(
      slots.map(async (session) => {
        while (performance.now() < untilMs) {
          const sentMs = performance.now();
          const outcome = await session.execute(0, [1, 2, 1n]);
          expect(outcome.kind).toBe('applied');
          waitsMs.push(performance.now() - sentMs);
        }
      }),
    );
    await Promise.all(sessions.map(async (session) => await session.close()));

    const meanMs = waitsMs.reduce((sum, ms) => sum + ms, 0) / waitsMs.length;
    expect(Math.max(...waitsMs)).toBeLessThan(5 * meanMs);
    // Little's law: all of them are outstanding all the time.
    const outstanding = (waitsMs.length / loadMs) * meanMs;
    expect(outstanding).toBeGreaterThan(0.8 * slots.length);
  },
  40_000,
);
