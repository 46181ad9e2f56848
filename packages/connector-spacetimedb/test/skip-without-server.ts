import type { TestContext } from 'vitest';
import { loneTargetOptions } from '@fair-bench/supervisor';
import connector from '../src/index.ts';

/** Skips the test, with the reason, if no server is available. */
export async function skipWithoutServer(skip: TestContext['skip']): Promise<void> {
  const availability = await connector.routes.sdk.probe(loneTargetOptions);
  if (!availability.available) skip(`${availability.reason}; ${availability.remedy}`);
}
