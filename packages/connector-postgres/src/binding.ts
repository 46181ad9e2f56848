import type { PoolClient } from 'pg';
import type { Binding, Operations } from '@fair-bench/rpc/binding';

/**
 * A workload's operations over one connection of a pool: the default export of `postgres-<orm>.ts`. `bind` is called
 * once per connection; an error of an operation becomes a fault by its SQLSTATE.
 */
export function bindPostgres(
  { name }: { readonly name: string },
  bind: (client: PoolClient) => Operations,
): Binding<PoolClient> {
  return { workload: name, bind };
}
