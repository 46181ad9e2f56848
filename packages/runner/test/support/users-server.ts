import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultTargetSettings, type TargetOptions } from '@fair-bench/contract';
import { type PostgresService, startPostgres } from '@fair-bench/connector-postgres';
import { createSupervisor } from '@fair-bench/supervisor';

export interface UsersServer {
  /** A folder that is removed with the server. */
  readonly scratch: string;
  readonly server: PostgresService;
  readonly close: () => Promise<void>;
}

/** A PostgreSQL as a user may have one: a run that gets its URL did not start it. */
export async function startUsersServer(
  changes: Partial<Pick<TargetOptions, 'durability'>> = {},
): Promise<UsersServer> {
  const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-users-server-'));
  const supervisor = createSupervisor({ logDirectory: join(scratch, 'logs') });
  const close = async (): Promise<void> => {
    await supervisor.stopAll();
    await rm(scratch, { recursive: true, force: true });
  };
  const server = await startPostgres({
    target: 'server-of-the-user',
    options: {
      ...defaultTargetSettings,
      workload: null,
      poolSize: 8,
      sessionsMax: 20,
      depthMax: 1,
      threadsMax: 1,
      batchMax: 1,
      ...changes,
    },
    supervisor,
    signal: AbortSignal.timeout(60_000),
    shared: async (_key, start) => await start(),
  });
  return { scratch, server, close };
}
