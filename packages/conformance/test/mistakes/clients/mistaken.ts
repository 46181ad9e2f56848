import { type ClientModule, type DataPlane, defineClient } from '@fair-bench/contract';
import { rpcClient } from '@fair-bench/rpc/client';

/** The client module of a sound connector, with one mistake around each of its sessions. */
export function mistaken(wrap: (session: DataPlane) => DataPlane): ClientModule {
  return defineClient({
    connect: async (endpoint, context) => wrap(await rpcClient.connect(endpoint, context)),
  });
}
