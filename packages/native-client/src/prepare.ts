import { findCargo } from './find-cargo.ts';
import { runCargo } from './run-cargo.ts';

export interface PrepareOptions {
  /** The repository's folder: where Cargo.toml and Cargo.lock are. */
  readonly root: string;
  /** Ends the build; then `prepareNativeClient` rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Called with each line that cargo writes for people; when nothing has to be built, with one at most. */
  readonly onProgress: (line: string) => void;
}

export type NativeClient =
  /** `command` is the program's absolute path; without arguments it speaks the load-client protocol. */
  | { readonly available: true; readonly command: string }
  /** One sentence each. */
  | { readonly available: false; readonly reason: string; readonly remedy: string };

const buildMsMax = 30 * 60_000;

/**
 * The native load client, built by `cargo build --release --locked` unless cargo finds it up to date. A
 * machine that cannot build it is an answer, not an error. Builds of other processes are waited for.
 */
export async function prepareNativeClient(options: PrepareOptions): Promise<NativeClient> {
  const cargo = await findCargo(options);
  if (!cargo.found) {
    return {
      available: false,
      reason: cargo.reason,
      remedy: 'install Rust (https://rustup.rs), and run again',
    };
  }
  const deadline = AbortSignal.timeout(buildMsMax);
  const build = await runCargo({ ...options, signal: AbortSignal.any([options.signal, deadline]) });
  options.signal.throwIfAborted();
  if (build.status === 'built') return { available: true, command: build.executable };
  const reason = deadline.aborted
    ? `cargo build was not done within ${buildMsMax / 60_000} minutes`
    : build.reason;
  return {
    available: false,
    reason: `${cargo.version} could not build the native load client: ${reason}`,
    remedy: 'run `cargo build --release --locked` in the repository, and see what it says',
  };
}
