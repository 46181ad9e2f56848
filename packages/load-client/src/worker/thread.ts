import { parentPort, workerData } from 'node:worker_threads';
import { Engine } from './engine.ts';
import type { Assignment, WorkerCommand } from './messages.ts';

const port = parentPort;
if (port === null) throw new Error('load-client: worker/thread.ts is started as a thread, not by itself');

const assignment: Assignment = workerData;
const engine = new Engine(assignment, (event) => port.postMessage(event));
port.on('message', (command: WorkerCommand) => engine.handle(command));
await engine.connect();
