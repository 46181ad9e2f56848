import { discover } from '../discover/index.ts';
import { InputError } from '../input-error.ts';
import { buildPlan } from '../plan/index.ts';
import { chosenTargets } from '../targets/index.ts';
import { carryOut, type PreparedRun } from './carry-out.ts';
import type { ExitCode } from './exit-codes.ts';
import { runId } from './folders.ts';
import { prepareContext, workloadOf } from './prepare-context.ts';
import type { RunOptions } from './run-options.ts';

export interface RunCommandInput {
  readonly root: string;
  readonly options: RunOptions;
  /** The command's name and its arguments, for the record. */
  readonly command: readonly string[];
  /** The data directory that the environment names; the option overrules it. */
  readonly dataDirectory: string | null;
}

/** `fair-bench` and `bench`: validates, then measures. InputErrors come before anything is started or made. */
export async function runCommand(input: RunCommandInput): Promise<ExitCode> {
  return await carryOut(await prepareRun(input));
}

async function prepareRun({ root, options, command, dataDirectory }: RunCommandInput): Promise<PreparedRun> {
  refuseModesWithoutMeans(options);
  const catalog = await discover(root);
  const workload = await workloadOf(catalog);
  const id = runId(options.mode, new Date());
  const targets = chosenTargets(catalog, options, workload.found.name);
  const plan = buildPlan({ id, command, options, targets, workload });
  const context = await prepareContext({ root, plan, targets, workload, options, dataDirectory });
  const required = new Set(options.systems === undefined ? [] : plan.targets.map(({ target }) => target));
  return { plan, context, strict: options.strict, required };
}

function refuseModesWithoutMeans({ mode, claim }: RunOptions): void {
  if (claim !== undefined && mode !== 'published') {
    throw new InputError(
      `--claim: got "${claim}" with --mode ${mode}; accepts a claim with --mode published alone`,
    );
  }
  if (mode === 'optimized') {
    throw new InputError(
      '--mode: got "optimized"; accepts fair: optimized needs a native load client, and there is none',
    );
  }
  if (mode === 'published') {
    throw new InputError(
      '--mode: got "published"; accepts fair: published needs claims as data, and there are none',
    );
  }
}
