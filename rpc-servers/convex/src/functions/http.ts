import { httpRouter } from 'convex/server';
import { httpAction } from './builders.ts';
import { jsonReply } from './reply.ts';
import { handleTransfer } from './endpoint.ts';

const http = httpRouter();

// A session begins with it, so that its connection is known to work before the first operation is timed.
http.route({
  path: '/health',
  method: 'GET',
  handler: httpAction(() => Promise.resolve(jsonReply(200, '{"status":"ok"}'))),
});

http.route({ path: '/transfer', method: 'POST', handler: httpAction(handleTransfer) });

export default http;
