import { httpActionGeneric, httpRouter, type HttpRouter } from 'convex/server';
import { jsonReply, operationHandler } from './endpoint.ts';
import type { Workload } from './shape.ts';

/** The HTTP actions: one for each operation. */
export function routerOf(workload: Workload): HttpRouter {
  const http = httpRouter();
  // A session calls it first, so that its connection works before the first operation is timed.
  http.route({
    path: '/health',
    method: 'GET',
    handler: httpActionGeneric(() => Promise.resolve(jsonReply(200, '{"status":"ok"}'))),
  });
  for (const operation of workload.operations) {
    const handler = httpActionGeneric(operationHandler(workload, operation));
    http.route({ path: `/${operation.name}`, method: 'POST', handler });
  }
  return http;
}
