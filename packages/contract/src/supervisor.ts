/**
 * What a connector needs to start processes that are certain to end. The package `supervisor` implements it; it is
 * declared here so that a connector depends only on the contract.
 */
export interface Supervisor {
  /** Starts a process in a session of its own, with its output in a log file; it ends with the run, however that ends. */
  start(specification: ProcessSpecification): Promise<SupervisedProcess>;
  /** A new directory on a real disk, removed with the run. `owner` is given when another user must write to it. */
  directory(name: string, owner?: UserIds): Promise<string>;
  /** A TCP port that is free on the loopback interface. */
  freePort(): Promise<number>;
}

export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

export interface ProcessSpecification {
  /** Names the process in messages and its log file: `<name>.log`. */
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  readonly user?: UserIds;
  /** The signal for a clean end; `SIGKILL` follows after `stopTimeoutMs`. */
  readonly stopSignal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT';
  readonly stopTimeoutMs: number;
  /**
   * Decides readiness: called about every 50 ms with the output so far; resolves true when the process is ready. The
   * start rejects after `timeoutMs`, or at once when the process exits.
   */
  readonly ready: {
    readonly timeoutMs: number;
    readonly check: (output: string) => boolean | Promise<boolean>;
  };
}

export interface SupervisedProcess {
  readonly pid: number;
  readonly logPath: string;
  /** Standard output so far (bounded: the first 64 KiB). */
  readonly output: () => string;
  readonly running: () => boolean;
  /** Resolves with how it ended, in words: `exit code 1`, `signal SIGKILL`. */
  readonly ended: Promise<string>;
  /** Null while it runs, and when a signal ended it. */
  readonly exitCode: () => number | null;
  /** Ends it, and resolves when it is gone. Calling again is harmless. */
  stop(): Promise<void>;
}
