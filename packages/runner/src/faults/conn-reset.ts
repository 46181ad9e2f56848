import { type FaultOfKind, type Lack, type FaultedTarget, nothingToRemove } from './arranged-fault.ts';
import { Relay } from './relay.ts';

/** An engine inside the load client has no connection. */
export async function lackOfConnections({ found }: FaultedTarget): Promise<Lack | null> {
  const { hop } = found.manifest.factors;
  return await Promise.resolve(
    hop === 'in-process'
      ? {
          reason: 'its engine is inside the load client: there is no connection between them',
          remedy: 'choose a route with a server',
        }
      : null,
  );
}

/** A reset of every connection between load client and target, by a proxy between them; the server goes on. */
export const connReset: FaultOfKind = {
  lack: lackOfConnections,
  arrange: async () => {
    let relay: Relay | undefined;
    return await Promise.resolve({
      async reach({ endpoint, command }) {
        relay = await Relay.open(endpoint);
        return { endpoint: relay.endpoint, command };
      },
      begin: async () => await relay?.reset(),
      end: nothingToRemove,
      [Symbol.asyncDispose]: async () => await relay?.[Symbol.asyncDispose](),
    });
  },
};
