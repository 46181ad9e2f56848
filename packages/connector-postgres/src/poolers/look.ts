import type { ClientBase } from 'pg';
import { z } from 'zod';
import type { Observer, PoolingLook } from '@fair-bench/contract';
import type { Pooler } from './start.ts';

/** Connections by TCP: a socket file has the port -1. */
const connectionsQuery = {
  name: 'connections of sessions',
  text: `SELECT pid, client_port AS port, application_name AS name FROM pg_stat_activity
WHERE backend_type = 'client backend' AND client_port > 0`,
};
const connectionsSchema = z.array(z.object({ pid: z.number(), port: z.number(), name: z.string() }));

interface Connection {
  readonly pid: number;
  readonly port: number;
  readonly name: string;
}

/**
 * How to look at who is connected, by the ports that the server sees and those that the kernel says are the pooler's.
 * The kernel is asked only about connections that were not there before: with thousands of clients it takes long.
 */
export async function poolingOf(pooler: Pooler | null, client: ClientBase): Promise<Observer['pooling']> {
  if (pooler === null || (await pooler.ports()) === null) return null;
  const known = new Map<string, boolean>();
  const connected = async (): Promise<readonly Connection[]> =>
    connectionsSchema.parse((await client.query(connectionsQuery)).rows);
  return async (): Promise<PoolingLook> => {
    const connections = await connected();
    const added = connections.filter((one) => !known.has(keyOf(one)));
    const ports = added.length === 0 ? null : await pooler.ports();
    for (const one of added) if (ports !== null) known.set(keyOf(one), ports.has(one.port));
    const those = (isPooled: boolean): readonly Connection[] =>
      connections.filter((one) => known.get(keyOf(one)) === isPooled);
    const beside = those(false).filter(({ name }) => name === pooler.sessionsName);
    // One that ended before the kernel was asked may have been the pooler's.
    const left = new Set(beside.length === 0 ? [] : (await connected()).map(keyOf));
    return {
      pooled: those(true).length,
      beside: beside.flatMap((one) =>
        left.has(keyOf(one))
          ? [`backend ${one.pid} serves a session from port ${one.port}, which is not the pooler's`]
          : [],
      ),
    };
  };
}

function keyOf({ pid, port }: Connection): string {
  return `${pid} ${port}`;
}
