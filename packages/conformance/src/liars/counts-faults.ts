import { amountMax, applied, type Session, type Transfer } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

const operationsPerFault = 5;

/** Counts what the server refused as applied. Every so often the server is given something to refuse. */
export default defineLiar({
  tell(inner) {
    const provoking = provoke(inner);
    return {
      async execute(transfer) {
        const outcome = await provoking.execute(transfer);
        return outcome.kind === 'fault' ? applied : outcome;
      },
      close: () => inner.close(),
    };
  },
  behave: provoke,
});

/** Sends an amount beyond 64 bits instead of every so many. */
function provoke(inner: Session<Transfer>): Session<Transfer> {
  let executed = 0;
  return {
    execute(transfer) {
      executed += 1;
      if (executed % operationsPerFault !== 0) return inner.execute(transfer);
      return inner.execute({ ...transfer, amount: amountMax + 1n });
    },
    close: () => inner.close(),
  };
}
