const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const parentCheckMs = 500;
/** After this the process exits anyway, and the supervisor's reaper ends what is left. */
const closingMsMax = 20_000;
const exitCodeInterrupted = 130;

export interface Interruption {
  /** Aborted by the first signal, or when the parent process or the reader of standard output is gone. */
  readonly signal: AbortSignal;
  /** Stops listening. */
  dispose(): void;
}

/**
 * Turns signals into an abort. Further signals are ignored: a terminal's Ctrl-C arrives twice (directly and through
 * the wrapper), and a clean end is what stops the children.
 */
export function listenForInterruption(say: (line: string) => void): Interruption {
  const controller = new AbortController();
  const parentPid = process.ppid;
  let deadline: NodeJS.Timeout | undefined;

  const interrupt = (reason: string): void => {
    if (controller.signal.aborted) return;
    say(`${reason}: stopping, and saving what was measured`);
    controller.abort(new Error(`interrupted by ${reason}`));
    deadline = setTimeout(() => process.exit(exitCodeInterrupted), closingMsMax).unref();
  };
  const onSignal = (signal: NodeJS.Signals): void => interrupt(signal);
  for (const signal of signals) process.on(signal, onSignal);
  // A wrapper killed by SIGKILL forwards no signal; its child then has another parent.
  const parentCheck = setInterval(() => {
    if (process.ppid !== parentPid) interrupt('the end of the parent process');
  }, parentCheckMs).unref();

  // Never removed: later writes meet the same broken pipe, which must not crash.
  process.stdout.on('error', () => interrupt('the end of the reader of standard output'));

  return {
    signal: controller.signal,
    dispose() {
      for (const signal of signals) process.off(signal, onSignal);
      clearInterval(parentCheck);
      clearTimeout(deadline);
    },
  };
}
