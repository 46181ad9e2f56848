import { messageOf } from '@fair-bench/contract';
import type { FaultOfKind } from './arranged-fault.ts';
import { lackOfConnections } from './conn-reset.ts';
import { CutLink } from './cut-link.ts';
import { Relay } from './relay.ts';

/**
 * The link between load client and target is cut for a while: packets are lost without a word. The load client runs in a network
 * namespace; a proxy at this machine's end of the link forwards to the target.
 */
export const network: FaultOfKind = {
  lackOf: lackOfConnections,
  async lackHere() {
    try {
      await using _ = await CutLink.open();
      return null;
    } catch (error) {
      return {
        reason: messageOf(error),
        remedy: 'run as root on Linux with iproute2 and util-linux, or choose conn-reset',
      };
    }
  },
  async arrange() {
    const link = await CutLink.open();
    let relay: Relay | undefined;
    return {
      async reach({ endpoint, command }) {
        relay = await Relay.open(endpoint, link.host);
        return { endpoint: relay.endpoint, command: link.around(command) };
      },
      begin: async () => await link.cut(),
      async end() {
        await link.mend();
        return null;
      },
      async [Symbol.asyncDispose]() {
        await relay?.[Symbol.asyncDispose]();
        await link[Symbol.asyncDispose]();
      },
    };
  },
};
