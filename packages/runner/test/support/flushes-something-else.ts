import { flushingClient } from './flushing-client.ts';

/** Acknowledges after a flush of a file that does not contain the work. */
export default flushingClient((inner, flush) => async (operation, values) => {
  const outcome = await inner.execute(operation, values);
  await flush();
  return outcome;
});
