import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';
import { hasCode, messageOf } from '@fair-bench/contract';
import { findProgram, programVariable } from '@fair-bench/supervisor';
import { effortOf, lackOfTools, type Lack } from './effort.ts';

export interface PrepareOptions {
  /** The repository's folder: where Cargo.toml and Cargo.lock are. */
  readonly root: string;
  /** Ends the build; `prepareNativeClient` then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Called when a build begins, while it lasts and when it ends; never when nothing has to be built. */
  readonly onProgress: (line: string) => void;
  /** The engine that runs inside it, by the name of its feature: it is a program of its own. Absent for the client of servers. */
  readonly engine?: string;
}

export type NativeClient =
  /** `command` is the program's absolute path; without arguments it speaks the load-client protocol. */
  | { readonly available: true; readonly command: string }
  /** One sentence each. */
  | { readonly available: false; readonly reason: string; readonly remedy: string };

/**
 * The native load client, built by `cargo build --release --locked` unless it is up to date. If this machine cannot
 * build it, the result says so without an error. Waits for builds of other processes.
 */
export async function prepareNativeClient(options: PrepareOptions): Promise<NativeClient> {
  const given = await givenProgram(options);
  if (given !== null) return given;
  const lack = await lackOfCargo(options);
  return lack ?? (await built(programOf(options.engine), await effortOf(options), options));
}

/** The file system that forgets what was not flushed, for faults of disks, built likewise; it is Linux's alone. */
export async function prepareForgetfulDisk(options: Omit<PrepareOptions, 'engine'>): Promise<NativeClient> {
  const effort = { takes: 'half a minute or more', minutesMax: 20 };
  return (await lackOfCargo(options)) ?? (await built(forgetfulDisk, effort, options));
}

async function built(
  program: Program,
  { takes, minutesMax }: Pick<Awaited<ReturnType<typeof effortOf>>, 'takes' | 'minutesMax'>,
  options: PrepareOptions,
): Promise<NativeClient> {
  const cargo = await findCargo(options);
  if (!cargo.found) return lackOf(cargo);
  const deadline = AbortSignal.timeout(minutesMax * 60_000);
  const build = await runCargo(program, takes, {
    ...options,
    signal: AbortSignal.any([options.signal, deadline]),
  });
  options.signal.throwIfAborted();
  if (build.status === 'built') return { available: true, command: build.executable };
  const reason = deadline.aborted ? `cargo build took more than ${minutesMax} minutes` : build.reason;
  return {
    available: false,
    reason: `${cargo.version} could not build ${program.what}: ${reason}`,
    remedy: `run \`cargo ${buildOf(program).join(' ')}\` in the repository, and see what it says`,
  };
}

/** A program that was built elsewhere, of an engine that `FAIR_BENCH_<ENGINE>_BIN` names one for; null where it names none. */
async function givenProgram({ engine }: Pick<PrepareOptions, 'engine'>): Promise<NativeClient | null> {
  if (engine === undefined || programVariable(engine) === null) return null;
  try {
    const command = await findProgram({ system: engine, names: [`engine-${engine}`] });
    return command === null ? null : { available: true, command };
  } catch (error) {
    return {
      available: false,
      reason: messageOf(error),
      remedy: 'build the program with cargo, and name it by its path',
    };
  }
}

type Unavailable = Lack & { readonly available: false };

/** Why no native load client can be built here; null where cargo and what else the build needs are there, or the program is. */
export async function lackOfCargo(
  options: Pick<PrepareOptions, 'root' | 'signal' | 'engine'>,
): Promise<Unavailable | null> {
  const given = await givenProgram(options);
  if (given !== null) return given.available ? null : given;
  const cargo = await findCargo(options);
  if (!cargo.found) return lackOf(cargo);
  const { needs } = await effortOf(options);
  const lack = await lackOfTools(needs);
  return lack === null ? null : { available: false, ...lack };
}

function lackOf({ reason }: { readonly reason: string }): Unavailable {
  return { available: false, reason, remedy: 'install Rust (https://rustup.rs), and run again' };
}

const versionMsMax = 30_000;

type Cargo =
  { readonly found: true; readonly version: string } | { readonly found: false; readonly reason: string };

/** Asks the cargo on PATH for its version. Rejects when the signal aborts. */
async function findCargo({ root, signal }: Pick<PrepareOptions, 'root' | 'signal'>): Promise<Cargo> {
  try {
    const { stdout } = await promisify(execFile)('cargo', ['--version'], {
      cwd: root,
      signal,
      timeout: versionMsMax,
    });
    return { found: true, version: stdout.trim() };
  } catch (cause) {
    signal.throwIfAborted();
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (missing)
      return { found: false, reason: 'cargo, which builds the native load client, is not on PATH' };
    const message = messageOf(cause);
    return { found: false, reason: `cargo --version failed: ${message.trim().replaceAll(/\s*\n\s*/g, ' ')}` };
  }
}

type Build =
  | { readonly status: 'built'; readonly executable: string }
  | { readonly status: 'failed'; readonly reason: string };

const reasonLinesMax = 12;

/** A program of the Cargo workspace, and the features that it is built with. */
interface Program {
  /** In words. */
  readonly what: string;
  readonly crate: string;
  readonly name: string;
  readonly features: readonly string[];
}

const client = 'the native load client';
const forgetfulDisk: Program = {
  what: 'the disk that forgets',
  crate: 'fair-bench-forgetful-disk',
  name: 'forgetful-disk',
  features: [],
};

function programOf(engine: string | undefined): Program {
  if (engine === undefined)
    return { what: client, crate: 'fair-bench-load-client', name: 'native', features: [] };
  return { what: client, crate: 'fair-bench-engines', name: `engine-${engine}`, features: [engine] };
}

function buildOf({ crate, name, features }: Program): string[] {
  const chosen = features.length === 0 ? [] : ['--no-default-features', `--features=${features.join(',')}`];
  return ['build', '--release', '--locked', '--package', crate, '--bin', name, ...chosen];
}

/** Of cargo's messages in JSON, the one with the program's path; the others have no `executable`. */
const artifactSchema = z.object({
  reason: z.literal('compiler-artifact'),
  target: z.object({ name: z.string() }),
  executable: z.string(),
});

/** Builds the program; cargo reports its path, because the target folder may be configured. */
async function runCargo(
  program: Program,
  takes: string,
  { root, signal, onProgress }: PrepareOptions,
): Promise<Build> {
  const cargo = spawn(
    'cargo',
    [...buildOf(program), '--color=never', '--message-format=json-render-diagnostics'],
    // Its own group, so that cargo's compilers end with it.
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  const end = (): void => endGroup(cargo.pid);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  let executable: string | null = null;
  createInterface({ input: cargo.stdout }).on('line', (line) => {
    executable = executableOf(line, program) ?? executable;
  });
  const lines: string[] = [];
  const progress = new Progress(onProgress, takes);
  const silence = setInterval(() => progress.goOn(), silenceMs);
  createInterface({ input: cargo.stderr }).on('line', (line) => {
    progress.add(line);
    lines.push(line.trim());
    if (lines.length > reasonLinesMax) lines.shift();
  });
  try {
    const [code]: unknown[] = await once(cargo, 'close');
    if (code === 0 && executable !== null) return { status: 'built', executable };
    return { status: 'failed', reason: lines.filter((line) => line !== '').join(' | ') };
  } finally {
    clearInterval(silence);
    signal.removeEventListener('abort', end);
  }
}

const progressEveryMs = 10_000;
const silenceMs = 60_000;

/** Cargo writes a line for each crate; a run shows one every ten seconds, and every minute that one crate alone takes. */
class Progress {
  readonly #show: (line: string) => void;
  readonly #takes: string;
  #crates = 0;
  #beganMs = 0;
  #shownMs = 0;

  constructor(show: (line: string) => void, takes: string) {
    this.#show = show;
    this.#takes = takes;
  }

  add(line: string): void {
    const nowMs = performance.now();
    if (/^\s*Compiling /.test(line)) {
      this.#crates += 1;
      if (this.#crates === 1) {
        [this.#beganMs, this.#shownMs] = [nowMs, nowMs];
        this.#show(`cargo builds it; the first build takes ${this.#takes}`);
      } else if (nowMs - this.#shownMs >= progressEveryMs) {
        this.#shownMs = nowMs;
        this.#show(`${this.#crates} crates compiled`);
      }
    } else if (/^\s*Blocking /.test(line)) {
      this.#show('cargo waits for another build');
    } else if (/^\s*Finished /.test(line) && this.#crates > 0) {
      this.#show(`built in ${Math.round((nowMs - this.#beganMs) / 1000)} s`);
    }
  }

  /** Called while cargo may have nothing to say. */
  goOn(): void {
    const nowMs = performance.now();
    if (this.#crates === 0 || nowMs - this.#shownMs < silenceMs) return;
    this.#shownMs = nowMs;
    this.#show(`crates begun: ${this.#crates}; ${Math.round((nowMs - this.#beganMs) / 60_000)} min so far`);
  }
}

function executableOf(line: string, { name }: Program): string | null {
  try {
    const parsed = artifactSchema.safeParse(JSON.parse(line));
    return parsed.success && parsed.data.target.name === name ? parsed.data.executable : null;
  } catch {
    // A build script may print anything.
    return null;
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch (error) {
    // It may have just ended by itself.
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
