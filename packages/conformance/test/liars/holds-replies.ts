import { defineLiar } from './lying-client.ts';

const burstMs = 50;
let release: Promise<void> | undefined;

/** Delays replies and releases them together, twenty times a second. */
export default defineLiar({
  tell: (inner) => ({
    async execute(operation, values) {
      const outcome = await inner.execute(operation, values);
      await nextRelease();
      return outcome;
    },
    close: () => inner.close(),
  }),
});

/** One release for all sessions. */
function nextRelease(): Promise<void> {
  release ??= new Promise((resolve) => {
    setTimeout(
      () => {
        release = undefined;
        resolve();
      },
      burstMs - (performance.now() % burstMs),
    );
  });
  return release;
}
