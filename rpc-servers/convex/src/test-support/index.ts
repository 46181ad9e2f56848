import { convexTest, type TestConvex } from 'convex-test';
import schema from '../functions/schema.ts';

export type TestedFunctions = TestConvex<typeof schema>;

/**
 * The functions in an empty database of `convex-test`, a model of Convex in memory that runs one transaction after
 * the other, under Convex's limits for a transaction.
 */
export function testedFunctions(): TestedFunctions {
  return convexTest({ schema, modules, transactionLimits: true });
}

/** As Convex finds them by their files; the folder of what is generated marks their root, and is not used. */
const modules: Record<string, () => Promise<unknown>> = {
  './_generated/server.ts': () => Promise.resolve({}),
  './accounts.ts': () => import('../functions/accounts.ts'),
  './deployment.ts': () => import('../functions/deployment.ts'),
  './http.ts': () => import('../functions/http.ts'),
  './transfer.ts': () => import('../functions/transfer.ts'),
};
