import { defineConnector } from '@fair-bench/contract';
import { fairProfile, probeConvex, provisionConvex } from '@fair-bench/convex';

/** Convex by HTTP actions: each request starts an action, and that a mutation. */
export default defineConnector({
  name: 'convex-http',
  fairProfile,
  probe: probeConvex,
  provision: async (context) =>
    await provisionConvex(context, {
      wireProtocol: 'http/1.1 json, pipelined, http action',
      endpoint({ described, api }, { siteUrl }) {
        const url = siteUrl ?? described.siteUrl;
        if (url !== null) return { url, options: {} };
        throw new Error(
          `${context.target}: the deployment at ${api.origin} tells no URL of its HTTP actions; ` +
            `say it by --set ${context.target}.siteUrl=URL`,
        );
      },
    }),
});
