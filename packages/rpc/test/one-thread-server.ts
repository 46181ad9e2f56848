import { applied } from '@fair-bench/contract';
import { z } from 'zod';
import { runRpcServer } from '../src/server/index.ts';

const settingsSchema = z.strictObject({ busyMs: z.number() });

/** A server whose operations keep its only thread busy, as those of an engine with a synchronous interface. */
await runRpcServer({
  name: 'one-thread-server',
  settingsSchema,
  openBackend: ({ busyMs }: z.infer<typeof settingsSchema>) =>
    Promise.resolve({
      execute() {
        const untilMs = performance.now() + busyMs;
        while (performance.now() < untilMs);
        return applied;
      },
      settings: () => Promise.resolve({}),
      recycle: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }),
});
