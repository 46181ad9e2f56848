import { messageOf } from '@fair-bench/contract';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { shareOf, type TrialPlan, clientCommandSchema } from '@fair-bench/results/protocol';
import { PlanError } from './errors.ts';
import { Orders } from './orders.ts';
import { loadModules } from './modules.ts';

/** Meanwhile the previous trial is audited and tables are filled. */
const planMsMax = 600_000;
/** Slots are allocated before the first operation; more than these would test memory, not a target. */
const slotsMax = 1_000_000;

/** What standard input says. */
interface Input {
  readonly plan: TrialPlan;
  readonly orders: Orders;
}

/**
 * Reads the plan as the first command line of standard input; `runnerGone` is called when that ends. Rejects with a
 * PlanError that names the mistake; nothing is connected then.
 */
export async function readPlan(
  args: readonly string[],
  input: NodeJS.ReadableStream,
  runnerGone: () => void,
): Promise<Input> {
  preload(args);
  const source = await fromStream(input, runnerGone);
  await checkPlan(source.plan);
  return source;
}

/** Imports the module of `--preload` while waiting for the plan. */
function preload(args: readonly string[]): void {
  try {
    const { preload: module } = parseArgs({
      args: [...args],
      options: { preload: { type: 'string' } },
    }).values;
    // A module that cannot be imported is reported for the plan that needs it.
    if (module !== undefined) void import(module).catch(() => undefined);
  } catch (cause) {
    throw new PlanError(`${messageOf(cause)}; usage: main.ts [--preload MODULE]`, { cause });
  }
}

/** Later commands that do not parse are reported on standard error and ignored. */
function fromStream(input: NodeJS.ReadableStream, runnerGone: () => void): Promise<Input> {
  const orders = new Orders();
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => {
      reject(new PlanError(`standard input: no plan within ${planMsMax} ms`));
    }, planMsMax);
    let plan: TrialPlan | null = null;
    const lines = createInterface({ input, crlfDelay: Infinity });
    lines.on('close', runnerGone);
    lines.on('line', (line) => {
      if (line.trim() === '') return;
      try {
        const command = checked(clientCommandSchema, parseJson(line, 'standard input'), 'command');
        if (command.type === 'plan') {
          if (plan !== null) throw new PlanError('standard input: a second plan');
          plan = command.plan;
          clearTimeout(timeout);
          resolve({ plan, orders });
          return;
        }
        if (plan === null) throw new PlanError('standard input: the first command has to be the plan');
        orders.hear(command);
      } catch (error) {
        clearTimeout(timeout);
        if (plan === null) reject(error);
        else process.stderr.write(`load client: ${messageOf(error)}; ignored\n`);
      }
    });
  });
}

/** Checks what a schema cannot, and whether this client supports the plan. */
async function checkPlan(plan: TrialPlan): Promise<void> {
  const { sessionFirst, sessionCount } = shareOf(plan);
  if (sessionFirst + sessionCount > plan.sessions) {
    throw new PlanError(
      `plan.share: ${sessionCount} sessions from ${sessionFirst} are more than the ${plan.sessions} of the trial`,
    );
  }
  if (plan.threads > sessionCount) {
    throw new PlanError(
      `plan.threads: ${plan.threads} threads for ${sessionCount} sessions; at most one each`,
    );
  }
  if (sessionCount * plan.depth * plan.batch > slotsMax) {
    const together = plan.batch === 1 ? '' : ` × batch ${plan.batch}`;
    throw new PlanError(
      `plan.depth: ${sessionCount} sessions × depth ${plan.depth}${together} is more than ${slotsMax} outstanding operations`,
    );
  }
  if (plan.logPath !== null) {
    const folder = dirname(plan.logPath);
    try {
      await access(folder, constants.W_OK);
    } catch (cause) {
      throw new PlanError(`plan.logPath: ${folder} cannot be written to`, { cause });
    }
  }
  await loadModules(plan);
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PlanError(`${where}: no JSON: ${messageOf(cause)}`, { cause });
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => {
    const path = issue.path.map(String);
    const where = path[0] === 'plan' ? path.join('.') : [name, ...path].join('.');
    return `${where}: ${issue.message}`;
  });
  throw new PlanError(issues.join('; '));
}
