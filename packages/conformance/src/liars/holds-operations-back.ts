import { copyOf, defineLiar } from './lying-client.ts';

/** Says that it has `depth` operations outstanding, and has the server see one at a time: a driver without pipelining. */
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
