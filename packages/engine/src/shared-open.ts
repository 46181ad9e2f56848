interface Opened<Value> {
  readonly value: Promise<Value>;
  users: number;
}

/** What is open, and what is being closed, by its key. */
export interface OpenByKey<Value> {
  readonly opened: Map<string, Opened<Value>>;
  readonly closing: Map<string, Promise<void>>;
}

/**
 * Opens what a key names, or shares what is open: closed when its last user has ended, and opened again only after that, because
 * most engines are opened once. Rejects as `open` does; disposal rejects as `close` does.
 */
export async function shareOpen<Value>(
  { opened, closing }: OpenByKey<Value>,
  key: string,
  open: () => Promise<Value>,
  close: (value: Value) => void | Promise<void>,
): Promise<{ readonly value: Value } & AsyncDisposable> {
  const present: Opened<Value> = opened.get(key) ?? {
    value: (closing.get(key) ?? Promise.resolve()).then(open),
    users: 0,
  };
  opened.set(key, present);
  present.users += 1;
  let isUsed = true;
  const release = async (): Promise<void> => {
    if (!isUsed) return;
    isUsed = false;
    present.users -= 1;
    if (present.users > 0) return;
    opened.delete(key);
    // What did not open is not closed.
    const ended = present.value.then(close, () => undefined);
    closing.set(key, ended);
    await ended.finally(() => {
      if (closing.get(key) === ended) closing.delete(key);
    });
  };
  try {
    return { value: await present.value, [Symbol.asyncDispose]: release };
  } catch (error) {
    await release();
    throw error;
  }
}
