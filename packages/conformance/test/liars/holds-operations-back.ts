import { copyOf, defineLiar } from './lying-client.ts';

/** Reports `depth` operations outstanding, but sends the server one at a time, like a driver without pipelining. */
export default defineLiar({
  tell(inner) {
    let last: Promise<unknown> = Promise.resolve();
    return {
      execute(operation, values) {
        const kept = copyOf(values);
        const outcome = last.then(async () => await inner.execute(operation, kept));
        last = outcome;
        return outcome;
      },
      close: () => inner.close(),
    };
  },
});
