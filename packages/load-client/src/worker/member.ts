import { messageOf } from '@fair-bench/contract';
import { Worker } from 'node:worker_threads';
import { Engine } from './engine.ts';
import type { Assignment, WorkerCommand, WorkerEvent } from './messages.ts';

/** A worker as the coordinator uses it, in any thread. */
export interface Member {
  send(command: WorkerCommand): void;
  /** Ends its thread, if it has one. */
  end(): Promise<void>;
}

/** A worker in this thread. */
export function inlineMember(assignment: Assignment, emit: (event: WorkerEvent) => void): Member {
  const engine = new Engine(assignment, emit);
  void engine.connect();
  return { send: (command) => engine.handle(command), end: async () => {} };
}

/** A worker in its own thread. */
export function threadMember(assignment: Assignment, emit: (event: WorkerEvent) => void): Member {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData: assignment });
  thread.on('message', emit);
  thread.on('error', (error: unknown) => {
    emit({ type: 'failed', reason: `a load thread threw: ${messageOf(error)}` });
  });
  let ending = false;
  thread.on('exit', (code) => {
    if (!ending) emit({ type: 'failed', reason: `a load thread ended by itself, exit code ${code}` });
  });
  return {
    send: (command) => thread.postMessage(command, []),
    end: async () => {
      ending = true;
      await thread.terminate();
    },
  };
}
