import type { RouteManifest } from '@fair-bench/contract';
import type { ClientName } from './client-name.ts';
import type { Settable, Setting, SettingValues } from './setting.ts';

/** Why a connector cannot have these settings, or null if it can. A setting that it lacks must have the default value. */
export function refusalBy(
  connector: Settable,
  table: readonly Setting[],
  values: SettingValues,
  defaults: SettingValues,
): string | null {
  const { name, manifest } = connector;
  for (const { key, name: factor, offeredBy, refusedBy } of table) {
    const offered = offeredBy(manifest);
    const value = values[key] ?? '';
    if (values['client'] === 'native' && manifest.factors.extraOfNode.includes(key)) {
      if (value === defaults[key]) continue;
      return `the native load client has no ${factor} for ${name}, so that it cannot be ${value}`;
    }
    if (refusedBy !== undefined) {
      const refusal = refusedBy(connector, values);
      if (refusal !== null) return refusal;
      continue;
    }
    if (offered === 'any') continue;
    if (offered === null) {
      if (value === defaults[key]) continue;
      return `${name} has no ${factor} to choose, so that it cannot be ${value} there`;
    }
    if (!offered.includes(value)) {
      return `${name} cannot have ${factor} ${value}: it has ${offered.join(', ')}`;
    }
  }
  return null;
}

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
