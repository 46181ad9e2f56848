import { flushingClient } from './flushing-client.ts';

/** Acknowledges after a flush, but of another file than the one with the work. */
export default flushingClient((inner, flush) => async (operation, values) => {
  const outcome = await inner.execute(operation, values);
  await flush();
  return outcome;
});
