import type { Availability, Route, TargetOptions } from '@fair-bench/contract';

const probeMsMax = 15_000;

/** Asks a connector whether its target is available. One that hangs counts as unavailable. */
export async function probe(connector: Route, options: TargetOptions): Promise<Availability> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Availability>((resolve) => {
    timer = setTimeout(
      () =>
        resolve({
          available: false,
          reason: `no answer within ${probeMsMax / 1000} s`,
          remedy: 'see whether the system still answers others',
        }),
      probeMsMax,
    );
  });
  try {
    return await Promise.race([connector.probe(options), late]);
  } finally {
    clearTimeout(timer);
  }
}
