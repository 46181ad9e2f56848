import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { ProcessSpecification, SupervisedProcess, Supervisor, UserIds } from '@fair-bench/contract';
import { awaitReady, startChild } from './child.ts';
import { freePort } from './free-port.ts';
import { freshDirectory } from './fresh-directory.ts';
import { type Cores, onCores } from './on-cores.ts';
import { startTimeOf } from './process-table.ts';
import { type Reaper, startReaper } from './reaper.ts';

interface SupervisorOptions {
  /** The folder for the log of every process, `<name>.log`; created if missing. */
  readonly logDirectory: string;
  /** The only place for directories, if the user named it. */
  readonly dataRoot?: string | null | undefined;
  /** Otherwise the places for directories, in order. */
  readonly candidates?: readonly string[];
  /** The processors of every process; null or absent means all. */
  readonly cores?: Cores | null;
  /** Ends all waiting for readiness, and refuses further starts. */
  readonly signal?: AbortSignal;
}

export interface RunSupervisor extends Supervisor {
  /**
   * Stops every process, the last started first, and removes every directory. Continues after a failure and rejects
   * with an AggregateError at the end. May be called again.
   */
  stopAll(): Promise<void>;
}

/**
 * A supervisor of one run. Everything it started is gone after `stopAll` and, about four seconds after a sudden death
 * of this process, by a reaper in its own session.
 */
export function createSupervisor(options: SupervisorOptions): RunSupervisor {
  const signal = options.signal ?? new AbortController().signal;
  const children: SupervisedProcess[] = [];
  const directories: string[] = [];
  let reaper: Reaper | undefined;
  const reaperOnDuty = (): Reaper => (reaper ??= startReaper());

  async function start(specification: ProcessSpecification): Promise<SupervisedProcess> {
    signal.throwIfAborted();
    const onDuty = reaperOnDuty();
    const child = await startChild(onCores(options.cores ?? null, specification), options.logDirectory);
    children.push(child);
    const { pid } = child;
    const startTime = startTimeOf(pid);
    if (startTime !== null)
      onDuty.tell({ type: 'watch', pid, startTime, stopSignal: specification.stopSignal });
    const stop = async (): Promise<void> => {
      await child.stop();
      onDuty.tell({ type: 'unwatch', pid });
    };
    const supervised = { ...child, stop };
    children[children.indexOf(child)] = supervised;
    try {
      await awaitReady(specification, supervised, signal);
    } catch (error) {
      await stop();
      throw error;
    }
    return supervised;
  }

  async function directory(name: string, owner?: UserIds): Promise<string> {
    const { dataRoot = null, candidates = [tmpdir(), '/var/tmp', process.cwd()] } = options;
    const places = dataRoot === null ? candidates : [dataRoot];
    const onDuty = reaperOnDuty();
    const made = await freshDirectory(name, places, owner);
    directories.push(made);
    onDuty.tell({ type: 'keep-clean', directory: made });
    return made;
  }

  async function stopAll(): Promise<void> {
    const failures: unknown[] = [];
    const attempt = async (act: () => Promise<void>): Promise<void> =>
      await act().catch((error: unknown) => void failures.push(error));
    for (const child of children.splice(0).toReversed()) await attempt(async () => await child.stop());
    for (const made of directories.splice(0)) {
      await attempt(async () => await rm(made, { recursive: true, force: true, maxRetries: 5 }));
      reaper?.tell({ type: 'forget', directory: made });
    }
    const last = reaper;
    reaper = undefined;
    if (last !== undefined) await attempt(async () => await last.dismiss());
    if (failures.length > 0) throw new AggregateError(failures, 'supervisor: not everything could be ended');
  }

  return { start, directory, freePort, stopAll };
}
