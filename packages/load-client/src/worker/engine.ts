import { messageOf } from '@fair-bench/contract';
import { toThreadMs } from '../clock.ts';
import { Alarm } from '../loop/alarm.ts';
import { loadModules } from '../modules.ts';
import { connectSessions } from './connect-sessions.ts';
import { Load } from './load.ts';
import type { Assignment, WorkerCommand, WorkerEvent } from './messages.ts';

/**
 * Executes one worker's share of a trial. One deadline timer keeps the phases' times; the engine does not know
 * whether it runs in the main thread.
 */
export class Engine {
  readonly #assignment: Assignment;
  readonly #emit: (event: WorkerEvent) => void;
  readonly #abort = new AbortController();
  #load: Load | null = null;
  #connecting = true;

  constructor(assignment: Assignment, emit: (event: WorkerEvent) => void) {
    this.#assignment = assignment;
    this.#emit = emit;
  }

  /** Imports the modules and connects the sessions; the last event is `connected` or `failed`. */
  async connect(): Promise<void> {
    const { plan } = this.#assignment;
    let alarm: Alarm | null = null;
    try {
      const modules = await loadModules(plan);
      if (plan.loop.kind === 'open') alarm = await Alarm.open();
      const sessions = await connectSessions(this.#assignment, modules, this.#abort.signal);
      this.#load = new Load(this.#assignment, { ...modules, sessions, alarm }, this.#emit);
      const opened = sessions.flatMap(({ openMs }) => openMs ?? []);
      this.#emit({ type: 'connected', openMs: opened.length === 0 ? null : Math.max(...opened) });
    } catch (error) {
      await alarm?.close();
      this.#emit(
        this.#abort.signal.aborted ? { type: 'aborted' } : { type: 'failed', reason: messageOf(error) },
      );
    } finally {
      this.#connecting = false;
    }
  }

  handle(command: WorkerCommand): void {
    if (command.type === 'begin') this.#load?.begin(toThreadMs(command.atMs));
    if (command.type === 'window') {
      this.#load?.setWindow(toThreadMs(command.fromMs), toThreadMs(command.untilMs));
    }
    if (command.type === 'abort') {
      this.#abort.abort();
      if (this.#load !== null) void this.#load.abort();
      else if (!this.#connecting) this.#emit({ type: 'aborted' });
    }
  }
}
