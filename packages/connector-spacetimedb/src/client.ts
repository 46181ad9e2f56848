import { defineClient } from '@fair-bench/contract';
import { calledOf } from './called.ts';
import { connectHttpSession } from './http-session.ts';
import { connectSession, endpointOptionsSchema } from './session.ts';

/** One WebSocket per session, with as many calls outstanding as the load client sends; or HTTP calls. */
export default defineClient({
  async connect({ url, options }, context) {
    const { transport, scanning, ...session } = endpointOptionsSchema.parse(options);
    const workload = calledOf(context.workload, scanning);
    if (transport === 'http') return await connectHttpSession({ url, ...session }, { ...context, workload });
    return await connectSession({ url, ...session }, workload, context.signal);
  },
});
