import { setTimeout as sleep } from 'node:timers/promises';
import { applied, type DataPlane, type OperationOutcome } from '@fair-bench/contract';
import { copyOf, defineLiar } from './lying-client.ts';

const aheadMs = 3;

/** Acknowledges after 3 ms while the work goes on, all of it before the session closes; writes how many were not done then. */
export default defineLiar({
  tell: (inner, _workload, _url, lied) => acknowledgesEarly(inner, Number.POSITIVE_INFINITY, lied),
});

/** At most `backlogMax` operations are acknowledged and not done; beyond that it waits for the oldest. */
export function acknowledgesEarly(
  inner: DataPlane,
  backlogMax: number,
  lied: (times: number) => void,
): DataPlane {
  let lies = 0;
  const backlog: Promise<OperationOutcome>[] = [];
  return {
    async execute(operation, values) {
      const work = inner.execute(operation, copyOf(values));
      backlog.push(work);
      void work.then(() => backlog.splice(backlog.indexOf(work), 1));
      if (backlog.length > backlogMax) await backlog[0];
      else await sleep(aheadMs);
      if (backlog.includes(work)) lies += 1;
      return applied;
    },
    async close() {
      // What is left may take longer than the process is given.
      lied(lies);
      await Promise.all(backlog);
      await inner.close();
    },
  };
}
