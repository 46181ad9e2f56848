import { flushingClient } from './flushing-client.ts';

/** Acknowledges at once and flushes afterwards; the next operation waits for that flush. Each operation costs a flush. */
export default flushingClient((inner, flush) => {
  let flushed = Promise.resolve();
  return async (operation, values) => {
    await flushed;
    const outcome = await inner.execute(operation, values);
    flushed = flush();
    return outcome;
  };
});
