// node by-hand.ts PLAN COMMAND [ARGUMENT…]: leads the trial of a plan file with that load client, and prints its events.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { clientEventSchema, trialPlanSchema } from '@fair-bench/results/protocol';
import { Leader, leadAlone } from './leader.ts';

const [file, command, ...args] = process.argv.slice(2);
if (file === undefined || command === undefined)
  throw new Error('usage: by-hand.ts PLAN COMMAND [ARGUMENT…]');
const plan = trialPlanSchema.parse(JSON.parse(await readFile(file, 'utf8')));
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (message: unknown): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
// Its end is what matters, not the pipe that breaks with it.
child.stdin.on('error', () => {});
child.on('close', (code) => (process.exitCode = code ?? 1));
const hear = leadAlone(new Leader(plan), send);
send({ type: 'plan', plan });
for await (const line of createInterface({ input: child.stdout })) {
  process.stdout.write(`${line}\n`);
  hear(clientEventSchema.parse(JSON.parse(line)));
}
child.stdin.end();
