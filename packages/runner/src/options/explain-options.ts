import type { Command, OptionValues } from '@commander-js/extra-typings';
import { z } from 'zod';
import { InputError } from '@fair-bench/contract';
import { durationText, optionText, wholeNumberText } from './option-values.ts';
import { optionName, runDefaults, runOptionsSchema } from './run-options.ts';

const { accounts, seed, out, url, scramble, threads, processes, poolSize, dataDir, duration, warmup, set } =
  runOptionsSchema.shape;
const { config } = runOptionsSchema.shape;

/** The options of `explain`. What depends on the workspace is checked by its plan. */
const explainOptionsSchema = z
  .strictObject({
    from: z.string().optional(),
    to: z.string().optional(),
    claim: z.string().optional(),
    budget: durationText(1000).optional(),
    trials: wholeNumberText(1, 1000).optional(),
    alpha: optionText('a number from 0', (text) =>
      /^\d+(\.\d+)?$/.test(text) ? Number(text) : null,
    ).optional(),
    sessions: wholeNumberText(1, 100_000).optional(),
    depth: wholeNumberText(1, 65_536).optional(),
    accounts: accounts.optional(),
    seed,
    out,
    url,
    scramble,
    threads,
    processes,
    poolSize,
    dataDir,
    duration,
    warmup,
    set,
    config,
  })
  .superRefine(({ from, to, claim, ...rest }, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (claim === undefined) {
      if (from === undefined)
        refuse('from', 'got nothing; accepts TARGET[key=value,…], or --claim NAME instead');
      else if (to === undefined) refuse('to', 'got nothing; accepts TARGET[key=value,…]');
      return;
    }
    if (from !== undefined) refuse('from', `got "${from}" with --claim; accepts one of the two`);
    if (to !== undefined) refuse('to', `got "${to}" with --claim; accepts one of the two`);
    for (const key of ['alpha', 'sessions', 'depth', 'accounts'] as const) {
      const value = rest[key];
      if (value !== undefined)
        refuse(key, `got "${value}" with --claim; accepts nothing: a claim has its own`);
    }
  });
export type ExplainOptions = z.infer<typeof explainOptionsSchema>;

/** The command, without what it does. */
export function explainCommandLine(command: Command) {
  const defaults = runDefaults;
  return command
    .description('take the gap between two targets, or of a claim, apart into factors')
    .option('--from <target>', 'one end, as postgres-drizzle[depth=1]')
    .option('--to <target>', 'the other end; what it does not name is as at the first')
    .option('--claim <name>', 'a published claim, whose ends are taken')
    .option('--budget <time>', 'how long it may take: decides cells and rounds')
    .option('--trials <number>', 'rounds: every cell is measured once in each (default: 5, or by the budget)')
    .option('--duration <time>', 'timed window of a trial', defaults.duration)
    .option('--warmup <time>', 'the least warm-up before it', defaults.warmup)
    .option('--alpha <number>', 'skew of the account choice where an end names none (default: 0.5)')
    .option('--sessions <number>', `sessions where an end names none (default: ${defaults.sessions})`)
    .option('--depth <number>', 'depth where an end names none (default: 1, and the best of a native client)')
    .option('--accounts <number>', `accounts in the dataset (default: ${defaults.accounts})`)
    .option('--seed <number>', 'decides operations and order', defaults.seed)
    .option('--out <dir>', 'where the results go (default: results/<run>)')
    .option('--url <system=url>', "an endpoint of yours for a system's connectors", collect, [])
    .option('--no-scramble', 'account ids in order of their heat')
    .option('--threads <number>', 'threads of the load client', defaults.threads)
    .option('--processes <number>', 'processes of each application server', defaults.processes)
    .option('--pool-size <number>', 'database connections of each application server', defaults.poolSize)
    .option('--data-dir <dir>', 'where databases put their data')
    .option('--config <file>', 'names targets of yours (default: fair-bench.config.ts, if there is one)')
    .option('--set <target.key=value>', 'a setting of one connector', collect, []);
}

/** Parses the texts of a command line; an InputError names the first option that is refused. */
export function parseExplainOptions(texts: OptionValues): ExplainOptions {
  const parsed = explainOptionsSchema.safeParse(texts);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new InputError(`${optionName(issue?.path[0])}: ${issue?.message ?? 'refused'}`);
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
