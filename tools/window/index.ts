import { meanOf, type PassedTrial, pairedRatio, type RoundPair } from '@fair-bench/results';
import { messageOf } from '@fair-bench/contract';
import { everyRun, measureStorage, type TrialStage } from '@fair-bench/runner';
import type { z } from 'zod';
import {
  type Bench,
  type BenchContext,
  type BenchTrial,
  median,
  openBench,
  pairOf,
  print,
  withContext,
} from '../bench.ts';
import { kindOptions, loadOptions, option, secondsText, tool, whole, words } from '../tool.ts';
import { Background, BackgroundCounters, type Second, type Watched } from './background.ts';

/** A ratio outside of these needs a change of the default, or a row that says by how much. */
const alike = [0.95, 1.05] as const;
const filesShown = 3;

const windowOptions = {
  systems: option('targets', 'targets, separated by commas', words),
  rounds: option('number', 'pairs of a short and a long trial', whole(2).prefault('6')),
  short: option('seconds', 'the short window (default: that of fair-bench)', secondsText.optional()),
  long: option('seconds', 'the long window', secondsText.prefault('60')),
  ...loadOptions('50', '8'),
  ...kindOptions('0', 'node'),
  deployments: everyRun.deployments,
};
type WindowOptions = z.infer<z.ZodObject<typeof windowOptions>>;

export const windowTool = tool(
  'bench:window',
  'the default window of each target against a long one, and what the long one contains',
  windowOptions,
  benchWindow,
);

interface Compared {
  readonly short: PassedTrial;
  readonly long: PassedTrial;
  readonly seconds: readonly Second[];
}

/**
 * Whether a trial in the default window has the throughput of a long one: both in turn, in alternating order, each on
 * newly started servers, broken in, seeded, settled and audited as in a run; their ratio with its 95 % interval; the same of
 * each long window's own first second; and what the long windows contain by the second.
 */
async function benchWindow(options: WindowOptions): Promise<number> {
  await withContext(async (context) => {
    const storage = await measureStorage(context.directory).catch(() => null);
    const rows: string[] = [];
    for (const name of options.systems) {
      await using kept = options.deployments === '1' ? await openBench(context, [name]) : null;
      const subject = { context, name, storage, options, kept };
      const rounds: Compared[] = [];
      for (let round = 0; round < options.rounds; round += 1) {
        await compare(subject, round).then(
          (compared) => rounds.push(compared),
          (error: unknown) => print(`round ${round + 1} has no number: ${messageOf(error)}`),
        );
      }
      if (rounds.length < 2) {
        print(`${name}: fewer than two rounds have a number\n`);
        continue;
      }
      for (const line of bySecond(name, rounds)) print(line);
      rows.push(rowOf(name, rounds));
      print(`${rows.at(-1)}\n`);
    }
    print(
      '| target | short, s | long, s | short, TPS | long, TPS | short ÷ long | first second ÷ long | finding |',
    );
    print('| --- | ---: | ---: | ---: | ---: | --- | --- | --- |');
    for (const row of rows) print(row);
  });
  return 0;
}

interface Subject {
  readonly context: BenchContext;
  readonly name: string;
  readonly storage: Watched['storage'];
  readonly options: WindowOptions;
  /** For all trials; without one each has its own. */
  readonly kept: Bench | null;
}

async function compare(subject: Subject, round: number): Promise<Compared> {
  const { short, long } = subject.options;
  const [first, { measured, seconds }] = await pairOf(
    round,
    async () => await measureOne(subject, short === undefined ? {} : { windowMs: short * 1000 }),
    async () => await measureOne(subject, { windowMs: long * 1000 }),
  );
  return { short: first.measured, long: measured, seconds };
}

async function measureOne(subject: Subject, window: Pick<BenchTrial, 'windowMs'>) {
  const { context, name, storage, options, kept } = subject;
  await using own = kept === null ? await openBench(context, [name]) : null;
  const target = await (own ?? kept)?.target(name);
  if (target === undefined) throw new Error(`${name}: no bench`);
  const facts = await target.deployment.facts(context.signal);
  await using counters = await BackgroundCounters.at(target.deployment.endpoint.url);
  const watched: Watched = { directory: facts.storage.directory, storage, counters };
  const { sessions, depth, alpha, client } = options;
  const begun: Background[] = [];
  const onStage = (stage: TrialStage): void => {
    if (stage === 'warmup') begun.push(new Background(watched));
  };
  const seconds: Second[] = [];
  try {
    const trial = { sessions, depth, alpha, client, ...window, onStage };
    return { measured: await target.measure(trial), seconds };
  } finally {
    for (const background of begun) seconds.push(...(await background.seconds()));
  }
}

function rowOf(name: string, rounds: readonly Compared[]): string {
  const compared = pairedRatio(
    rounds.map(({ short, long }): RoundPair => ({ baseline: long.tps, contender: short.tps })),
  );
  const early = pairedRatio(
    rounds.map(({ long }): RoundPair => ({ baseline: long.tps, contender: firstSecond(long) })),
  );
  const middle = (of: (round: Compared) => number): number => median(rounds.map(of));
  const { ratio, pValue } = compared;
  const isAlike = ratio >= alike[0] && ratio <= alike[1];
  const isSignificant = pValue !== null && pValue < 0.05;
  const by = `the short window shows ${(Math.abs(ratio - 1) * 100).toFixed(0)} % ${ratio > 1 ? 'more' : 'less'}`;
  const finding = isAlike ? 'alike' : `${by}, ${isSignificant ? 'significant' : 'not significant'}`;
  const numbers = [
    middle(({ short }) => short.result.timing.windowMs / 1000).toFixed(1),
    middle(({ long }) => long.result.timing.windowMs / 1000).toFixed(1),
    middle(({ short }) => short.tps).toFixed(0),
    middle(({ long }) => long.tps).toFixed(0),
  ];
  return `| ${[name, ...numbers, intervalOf(compared), intervalOf(early), finding].join(' | ')} |`;
}

function intervalOf({ ratio, ci95 }: ReturnType<typeof pairedRatio>): string {
  return `${ratio.toFixed(2)}${ci95 === null ? '' : ` \\[${ci95[0].toFixed(2)}, ${ci95[1].toFixed(2)}\\]`}`;
}

/** Applied operations per second in the first whole second of a window: what a short one would have shown of this trial. */
function firstSecond({ result: { timing, series } }: PassedTrial): number {
  const from = Math.ceil(timing.warmupMs / 1000);
  return series.find(({ second }) => second === from)?.applied ?? Number.NaN;
}

/** What the last long trial contained, beside the throughput of all of them. */
function bySecond(name: string, rounds: readonly Compared[]): string[] {
  const last = rounds.at(-1);
  if (last === undefined) return [];
  const { long, seconds } = last;
  const { timing, effort, series } = long.result;
  const [from, until] = [timing.warmupMs / 1000, (timing.warmupMs + timing.windowMs) / 1000];
  const gc =
    effort.gcMs === undefined ? '' : `; the load client collected garbage for ${effort.gcMs.toFixed(0)} ms`;
  const meanAt = (second: number): string => {
    const all = rounds.flatMap(
      (round) => round.long.result.series.find((one) => one.second === second) ?? [],
    );
    return meanOf(all.map(({ applied }) => applied)).toFixed(0);
  };
  return [
    `${name}, the last of ${rounds.length} long trials by the second; its window is from second ${from.toFixed(1)} to ${until.toFixed(1)}${gc}`,
    '',
    '| second | applied | mean of all | data, MB | flushes | files found written (times of 10, MB) | background work |',
    '| ---: | ---: | ---: | ---: | ---: | --- | --- |',
    ...series.map(({ second, applied }) => {
      const beside = seconds[second];
      const files = (beside?.written ?? []).slice(0, filesShown);
      return `| ${[
        second,
        applied,
        meanAt(second),
        beside?.megabytes.toFixed(1) ?? '',
        beside?.flushes ?? '',
        files.map(({ file, times, megabytes }) => `${file} (${times}, ${megabytes.toFixed(1)})`).join(', '),
        Object.entries(beside?.counters ?? {})
          .map(([counter, count]) => `${counter} +${count}`)
          .join(', '),
      ].join(' | ')} |`;
    }),
    '',
  ];
}
