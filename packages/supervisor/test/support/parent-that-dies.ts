// Starts a child through a supervisor, prints the ids to look for, and waits to be killed.
import { createSupervisor } from '../../src/supervisor.ts';
import { scriptSpecification } from './processes.ts';

const [logDirectory, childScript] = process.argv.slice(2);
if (logDirectory === undefined || childScript === undefined)
  throw new Error('give a log directory and a script');
const supervisor = createSupervisor({ logDirectory });
const directory = await supervisor.directory('orphan');
const child = await supervisor.start(scriptSpecification('child', childScript));
process.stdout.write(`${JSON.stringify({ pid: child.pid, directory, output: child.output() })}\n`);
setInterval(() => undefined, 1_000);
