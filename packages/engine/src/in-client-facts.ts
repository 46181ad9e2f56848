import type { Durability, Facts } from '@fair-bench/contract';
import type { Settings } from './system.ts';

/** The facts of an engine inside a load client; what it was opened with and does not say is requested. */
export function inClientFacts(
  system: { readonly title: string; durabilityOf(settings: Settings): Durability },
  version: string,
  { settings, requested }: { readonly settings: Settings; readonly requested: Settings },
): Omit<Facts, 'storage' | 'writersMax'> {
  const request = Object.entries(requested).map(([name, value]) => `${name}=${value}`);
  return {
    system: { name: system.title, version },
    provider: 'in-process',
    durability: system.durabilityOf({ ...requested, ...settings }),
    ...(request.length === 0
      ? {}
      : { requested, durabilityBasis: { status: 'requested', request: request.join(', ') } }),
    // Transactions that write run one by one, or fail for a conflict, and reads see one moment.
    isolation: 'serializable',
    settings,
    appServer: null,
    wireProtocol: 'calls in the load client',
  };
}
