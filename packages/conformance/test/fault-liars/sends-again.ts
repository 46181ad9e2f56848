import { setTimeout as sleep } from 'node:timers/promises';
import type { DataPlane, OperationOutcome, Values } from '@fair-bench/contract';
import { copyOf, defineLiar } from '../liars/lying-client.ts';

const pauseMs = 20;

/** Sends an operation again after its connection was lost, until it is answered: nobody hears of an error. */
export default defineLiar({
  tell: (inner) => ({
    execute: async (operation, values) => await untilAnswered(inner, operation, copyOf(values)),
    close: async () => await inner.close(),
  }),
});

async function untilAnswered(inner: DataPlane, operation: number, values: Values): Promise<OperationOutcome> {
  for (;;) {
    const outcome = await inner.execute(operation, values);
    if (outcome.kind !== 'fault') return outcome;
    await sleep(pauseMs);
  }
}
