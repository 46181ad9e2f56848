import { convexTest, type TestConvex } from 'convex-test';
import type { GenericSchema, SchemaDefinition } from 'convex/server';
import { routerOf } from '../functions/http.ts';
import { schemaOf } from '../functions/schema.ts';
import type { Workload } from '../functions/shape.ts';
import { tableFunctions } from '../functions/tables.ts';

export type TestedFunctions = TestConvex<SchemaDefinition<GenericSchema, true>>;

/**
 * The functions of a workload in an empty database of `convex-test`, a model of Convex in memory that runs one
 * transaction after the other, with Convex's limits.
 */
export function testedFunctions(workload: Workload, binding: () => Promise<unknown>): TestedFunctions {
  // With the file names of Convex; the folder of generated code marks their root and is not used.
  const modules: Record<string, () => Promise<unknown>> = {
    './_generated/server.ts': () => Promise.resolve({}),
    './tables.ts': () => Promise.resolve(tableFunctions(workload)),
    './deployment.ts': () => import('../functions/deployment.ts'),
    './http.ts': () => Promise.resolve({ default: routerOf(workload) }),
    './operations.ts': binding,
  };
  return convexTest({ schema: schemaOf(workload), modules, transactionLimits: true });
}
