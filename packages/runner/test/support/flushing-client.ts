import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClientModule, type DataPlane, defineClient, hasCode } from '@fair-bench/contract';
import driver from '../../../connector-postgres/src/clients/driver.ts';

type Lie = (inner: DataPlane, flush: () => Promise<void>) => DataPlane['execute'];

/** PostgreSQL's sessions, and a file on the same disk that a liar flushes when it likes. */
export function flushingClient(lie: Lie): ClientModule {
  return defineClient({
    async connect(endpoint, context) {
      const inner = await driver.connect(endpoint, context);
      const path = join(import.meta.dirname, `flushed-${process.pid}-${context.index}`);
      const file = await open(path, 'w');
      await rm(path);
      return {
        execute: lie(inner, async () => await flushOnce(file)),
        async close() {
          await inner.close();
          await file.close();
        },
      };
    },
  });
}

/** A liar does not wait for it: it may still be under way when its session closes the file. */
async function flushOnce(file: FileHandle): Promise<void> {
  try {
    await file.write(Buffer.alloc(4096, 1), 0, 4096, 0);
    await file.datasync();
  } catch (error) {
    if (!hasCode(error, 'EBADF')) throw error;
  }
}
