import { PlanError, reasonOf } from './errors.ts';
import { exit, writeEvent, writeNotice } from './output.ts';
import { readPlan } from './plan-input.ts';
import { runTrial } from './run-trial.ts';

const exitCodes = { done: 0, failed: 1, planRefused: 2 } as const;

/** A trial plan in, a trial result out: the protocol is in PROTOCOL.md. */
async function main(): Promise<number> {
  try {
    const { plan, ...heard } = await readPlan(process.argv.slice(2), process.stdin, runnerGone);
    const result = await runTrial(plan, { emit: writeEvent, ...heard });
    writeEvent({ type: 'result', result });
    return exitCodes.done;
  } catch (error) {
    const reason = reasonOf(error);
    writeNotice(reason);
    writeEvent({ type: 'failed', reason });
    return error instanceof PlanError ? exitCodes.planRefused : exitCodes.failed;
  }
}

/** Nobody is left to read a result. */
function runnerGone(): void {
  process.exit(exitCodes.failed);
}

process.stdout.on('error', runnerGone);
exit(await main());
