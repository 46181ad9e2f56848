import { afterAll, beforeAll } from 'vitest';
import nullConnector from '@fair-bench/connector-null';
import { routeOf } from '@fair-bench/contract';
import { loadClientArguments } from '@fair-bench/load-client';
import { command } from './native.ts';
import { type TestTarget, startTarget } from './target.ts';

const module = new URL('../../../connector-null/src/client.ts', import.meta.url).href;

/** Both load clients, as they reach the null server; the native one is null where it cannot be built. */
export const clients = [
  ['Node', process.execPath, loadClientArguments, { kind: 'node', module } as const],
  ['native', command, [], { kind: 'native', protocol: 'http-rpc' } as const],
] as const;

/** A null server that answers after a delay, for all tests of the file that calls this. */
export function delayedNull(delayMs: number): () => TestTarget {
  let target: TestTarget | undefined;
  beforeAll(async () => {
    target = await startTarget(routeOf(nullConnector, 'http'), { extra: { delayMs: String(delayMs) } });
  });
  afterAll(async () => await target?.close());
  return () => {
    if (target === undefined) throw new Error('the null server was not started');
    return target;
  };
}
