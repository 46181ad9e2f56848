import { bindOperations } from '@fair-bench/rpc/binding';
import type { PoolClient } from 'pg';

export { applies, returnsRows } from '@fair-bench/rpc/binding';
export { ourSchema } from '@fair-bench/contract';

/**
 * A workload's operations over one connection of a pool: the default export of `postgres-<orm>.ts`. `bind` is called
 * once per connection; an error of an operation becomes a fault by its SQLSTATE.
 */
export const bindPostgres = bindOperations<PoolClient>;
