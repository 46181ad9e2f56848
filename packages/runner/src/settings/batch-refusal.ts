import type { RouteManifest } from '@fair-bench/contract';
import type { ClientName } from '@fair-bench/results';

/** Why a target cannot have batches of this size by that load client; null if it can. */
export function batchRefusal(
  target: string,
  { factors }: RouteManifest,
  client: ClientName,
  batch: number,
): string | null {
  if (batch === 1 || factors.batch.includes(client)) return null;
  const others = factors.batch.length === 0 ? '' : `; the ${factors.batch.join(' and ')} load client can`;
  return `${target} by the ${client} load client cannot commit ${batch} operations together: batch is 1 there${others}`;
}
