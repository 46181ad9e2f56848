import { defineConnector, type FairSetting, type RouteDefinition } from '@fair-bench/contract';
import { rpcEndpoint } from '@fair-bench/rpc';
import { provisionConvex, type ConvexRoute } from './deployment.ts';
import { probeConvex } from './probe.ts';

/** The settings that fair mode needs of a Convex deployment, with the reasons. */
const fairProfile: readonly FairSetting[] = [
  {
    setting: 'storage_source',
    accepted: ['read'],
    reason: 'durability follows from the storage, and a declared storage was not observed',
  },
];

/** By HTTP actions: each request starts an action, which calls a mutation. */
const http = convexRoute({
  wireProtocol: 'http/1.1 json, http action',
  endpoint(target, { described, api }, { siteUrl, clientCodec }) {
    const url = siteUrl ?? described.siteUrl;
    if (url !== null) return rpcEndpoint(url, clientCodec);
    throw new Error(
      `${target}: the deployment at ${api.origin} has no URL of its HTTP actions; ` +
        `say it by --set ${target}.siteUrl=URL`,
    );
  },
});

/** By mutations of its official client, without an action. */
const sdk = convexRoute({
  wireProtocol: 'websocket convex sync json, pipelined, one mutation at a time for each session',
  endpoint: (_target, { api }) => ({ url: api.origin, options: {} }),
});

export default defineConnector({ system: 'convex', fairProfile, routes: { http, sdk } });

function convexRoute(route: ConvexRoute): RouteDefinition {
  return { probe: probeConvex, provision: async (context) => await provisionConvex(context, route) };
}
