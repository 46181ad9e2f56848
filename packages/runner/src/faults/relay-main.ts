import { connect, createServer, type Socket } from 'node:net';
import { z } from 'zod';

const orderSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('open'),
    host: z.string(),
    upstream: z.strictObject({ host: z.string(), port: z.int() }),
  }),
  z.strictObject({ type: z.literal('reset') }),
]);

/** This process passes bytes on between a load client and a server. It resets all connections when it is told to, and ends with its parent. */
const connections = new Set<Socket>();

process.on('message', (message) => {
  const order = orderSchema.parse(message);
  if (order.type === 'open') listen(order);
  else process.send?.({ type: 'reset', connections: reset() });
});
process.on('disconnect', () => process.exit());

function listen({ host, upstream }: Extract<z.infer<typeof orderSchema>, { type: 'open' }>): void {
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ ...upstream, noDelay: true });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      connections.add(one);
      one.pipe(other);
      // A connection that is lost on one side is lost on the other.
      one.on('error', () => other.resetAndDestroy());
      one.on('close', () => {
        connections.delete(one);
        other.destroySoon();
      });
    }
  });
  server.listen(0, host, () => {
    const address = server.address();
    process.send?.({
      type: 'opened',
      port: address !== null && typeof address === 'object' ? address.port : 0,
    });
  });
}

/** What was on its way is lost: the client cannot know what became of it. */
function reset(): number {
  const all = [...connections];
  for (const one of all) one.resetAndDestroy();
  return all.length;
}
