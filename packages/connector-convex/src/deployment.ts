import { type Deployment, type Endpoint, type ProvisionContext, rowObserver } from '@fair-bench/contract';
import { workCounters } from './counters.ts';
import { readFacts } from './facts.ts';
import { requireOptions, type ConvexOptions } from './options.ts';
import { reachConvex, type ConvexService } from './service.ts';
import { convexTables } from './tables.ts';

/** What is a route's own. */
export interface ConvexRoute {
  readonly wireProtocol: string;
  endpoint(target: string, service: ConvexService, options: ConvexOptions): Endpoint;
}

/** A target of the deployment that its options name, with our functions in it. Nothing of it runs here. */
export async function provisionConvex(context: ProvisionContext, route: ConvexRoute): Promise<Deployment> {
  const options = requireOptions(context.target, context.options);
  const service = await reachConvex(context, options);
  const { api } = service;
  const tables = convexTables(api, service.workload.shape);
  return {
    endpoint: route.endpoint(context.target, service, options),
    processes: [],
    check: async (signal) => await service.check(signal),
    // Seeded rows were committed before they were acknowledged; the backend offers no checkpoint.
    prepare: () => Promise.resolve(),
    facts: async (signal) => await readFacts(api, context.options, options, route.wireProtocol, signal),
    counters: async (signal) => workCounters(await api.metrics(signal)),
    // The backend does not show its peak of outstanding operations.
    inFlight: () => Promise.resolve(null),
    // Its metrics lag, and it shows no settings: only rows can be observed by another connection.
    observe: (signal) => Promise.resolve(rowObserver(tables, signal)),
    tables,
    close: () => Promise.resolve(),
  };
}
