import { setTimeout as sleep } from 'node:timers/promises';
import { mistaken } from './mistaken.ts';

/** A driver that reconnects by itself, and sends what had no answer again. */
export default mistaken((session) => ({
  async execute(operation, values) {
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await session.execute(operation, values);
      if (outcome.kind !== 'fault' || attempt === 10) return outcome;
      await sleep(50);
    }
  },
  close: () => session.close(),
}));
