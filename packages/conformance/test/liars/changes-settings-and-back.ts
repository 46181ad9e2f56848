import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '@fair-bench/contract';

/** The first reading is before the load, later ones are 250 ms apart: at this one the window has begun. */
const readingOfChange = 3;
const changedMs = 600;

/** Changes settings within the window, and changes them back before it ends. */
export function changesSettingsAndBack(
  deployment: Deployment,
  change: () => Promise<void>,
  changeBack: () => Promise<void>,
): Deployment {
  const toggle = async (): Promise<void> => {
    await change();
    await sleep(changedMs);
    await changeBack();
  };
  return {
    ...deployment,
    async observe(signal) {
      const observer = await deployment.observe(signal);
      let readings = 0;
      let toggled = Promise.resolve();
      return {
        ...observer,
        async settings() {
          readings += 1;
          if (readings === readingOfChange) toggled = toggle();
          return (await observer.settings?.()) ?? {};
        },
        async close() {
          await toggled;
          await observer.close();
        },
      };
    },
  };
}
