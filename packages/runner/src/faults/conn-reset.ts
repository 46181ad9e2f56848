import { type FaultOfKind, type Lack, type FaultedTarget, nothingToEnd } from './arranged-fault.ts';
import { addressOf, Relay } from './relay.ts';

/** Why nothing of ours can stand between the load client and a target; null where it can. */
export function lackOfConnections({ found, url }: FaultedTarget): Lack | null {
  if (found.manifest.factors.hop === 'in-process')
    return {
      reason: 'its engine is inside the load client: there is no connection between them',
      remedy: 'choose a route with a server',
    };
  if (url === null) return null;
  if (addressOf({ url }) === null)
    return { reason: 'its URL names no host and port of a TCP connection', remedy: 'name them in the URL' };
  return isVerified(url)
    ? {
        reason: 'its certificate is checked against the name in its URL, and a proxy of ours has another',
        remedy: 'name it without that check, if its network is trusted',
      }
    : null;
}

function isVerified(url: string): boolean {
  const { protocol, searchParams } = new URL(url);
  return (
    ['https:', 'wss:', 'rediss:'].includes(protocol) ||
    [...searchParams.values()].some((value) => /verify/i.test(value))
  );
}

/** A reset of every connection between load client and target, by a proxy between them; the server goes on. */
export const connReset: FaultOfKind = {
  lackOf: lackOfConnections,
  arrange: async () => {
    let relay: Relay | undefined;
    return await Promise.resolve({
      async reach({ endpoint, command }) {
        relay = await Relay.open(endpoint);
        return { endpoint: relay.endpoint, command };
      },
      async begin() {
        if ((await relay?.reset()) === 0) throw new Error('no connection went through the proxy');
      },
      end: nothingToEnd,
      [Symbol.asyncDispose]: async () => await relay?.[Symbol.asyncDispose](),
    });
  },
};
