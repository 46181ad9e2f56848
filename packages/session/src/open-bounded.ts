/** A connection by a driver that takes no AbortSignal. Rejects when `signal` aborts first, and ends what opens later. */
export async function openBounded<Live extends { end(): Promise<void> | void }>(
  open: () => Promise<Live>,
  signal: AbortSignal,
): Promise<Live> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const opening = open();
  try {
    return await Promise.race([opening, aborted]);
  } catch (error) {
    // A driver may still connect after the abort.
    void opening.then(
      async (late) => await late.end(),
      () => undefined,
    );
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The same, for a connection that ends with its scope, and when `signal` aborts. */
export async function openScoped<Live extends { end(): Promise<void> | void }>(
  open: () => Promise<Live>,
  signal: AbortSignal,
): Promise<Live & AsyncDisposable> {
  const connection = await openBounded(open, signal);
  const abort = (): void => void connection.end();
  signal.addEventListener('abort', abort, { once: true });
  return Object.assign(connection, {
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', abort);
      await connection.end();
    },
  });
}
