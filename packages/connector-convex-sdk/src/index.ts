import { defineConnector } from '@fair-bench/contract';
import { fairProfile, probeConvex, provisionConvex } from '@fair-bench/convex';

/** Convex by mutations of its official client, with no action between. */
export default defineConnector({
  name: 'convex-sdk',
  fairProfile,
  probe: probeConvex,
  provision: async (context) =>
    await provisionConvex(context, {
      wireProtocol: 'websocket convex sync json, pipelined, one mutation at a time for each session',
      endpoint: ({ api }) => ({ url: api.origin, options: {} }),
    }),
});
