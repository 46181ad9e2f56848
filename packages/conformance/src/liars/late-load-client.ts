import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadClientArguments } from '@fair-bench/load-client';

/** The load client of a machine that is too slow: it hears of its window a second late, and measures beside the others. */
const lateMs = 1000;

const client = spawn(process.execPath, loadClientArguments, { stdio: ['pipe', 'inherit', 'inherit'] });
client.on('close', (code) => process.exit(code ?? 1));
for await (const line of createInterface({ input: process.stdin })) {
  if (line.includes('"type":"window"')) await sleep(lateMs);
  client.stdin.write(`${line}\n`);
}
client.stdin.end();
