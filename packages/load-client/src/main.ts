import { messageOf } from '@fair-bench/contract';
import type { ClientEvent } from '@fair-bench/results/protocol';
import { PlanError } from './errors.ts';
import { readPlan } from './plan-input.ts';
import { runLoad } from './run-load.ts';

const exitCodes = { done: 0, failed: 1, planRefused: 2 } as const;

/** A trial plan in, a trial result out: the protocol is in PROTOCOL.md. */
async function main(): Promise<number> {
  try {
    const { plan, ...heard } = await readPlan(process.argv.slice(2), process.stdin, runnerGone);
    const result = await runLoad(plan, { emit: writeEvent, ...heard });
    writeEvent({ type: 'result', result });
    return exitCodes.done;
  } catch (error) {
    const reason = messageOf(error);
    process.stderr.write(`load client: ${reason}\n`);
    writeEvent({ type: 'failed', reason });
    return error instanceof PlanError ? exitCodes.planRefused : exitCodes.failed;
  }
}

/** Nobody is left to read a result. */
function runnerGone(): void {
  process.exit(exitCodes.failed);
}

/** Writes an event as one line of JSON. */
function writeEvent(event: ClientEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

/** Ends the process once everything is written; handles that others left open do not keep it. */
function exit(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

process.stdout.on('error', runnerGone);
exit(await main());
