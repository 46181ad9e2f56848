import type { StatementProtocol } from '@fair-bench/contract';
import { medianOf } from '@fair-bench/results';
import type { Work } from './works.ts';

/** One load, measured by both clients in each round. */
export interface Compared {
  readonly protocol: StatementProtocol;
  readonly clients: number;
  readonly rounds: readonly { readonly native: Measured; readonly pgbench: Measured }[];
}

interface Measured {
  readonly perSecond: number;
  /** CPU microseconds of the client for each read or transaction. */
  readonly cpuUs: number;
}

export function tableHeadOf({ plural, singular }: Named): string {
  return [
    `| protocol | clients | native, ${plural} a second | pgbench | ratio | native, client CPU µs per ${singular} | pgbench | ratio |`,
    `| --- |${' ---: |'.repeat(7)}`,
  ].join('\n');
}

type Named = Pick<Work, 'plural' | 'singular'>;

/** A line of the table: medians, and medians of the rounds' ratios. */
export function rowOf(compared: Compared): string {
  const { protocol, clients, rounds } = compared;
  const { perSecond, cpu } = ratiosOf(compared);
  const median = (of: (round: Compared['rounds'][number]) => number): number => medianOf(rounds.map(of));
  const cells = [
    protocol,
    clients,
    Math.round(median(({ native }) => native.perSecond)),
    Math.round(median(({ pgbench }) => pgbench.perSecond)),
    perSecond.toFixed(2),
    median(({ native }) => native.cpuUs).toFixed(1),
    median(({ pgbench }) => pgbench.cpuUs).toFixed(1),
    cpu.toFixed(2),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The goal: at least pgbench's throughput, for at most its CPU time. */
export function verdictOf(all: readonly Compared[], { singular }: Named): string {
  const missed = all.flatMap((compared) => {
    const { perSecond, cpu } = ratiosOf(compared);
    const name = `${compared.protocol} at ${compared.clients}`;
    return [
      ...(perSecond < 1 ? [`${name}: ${perSecond.toFixed(2)} × the throughput`] : []),
      ...(cpu > 1 ? [`${name}: ${cpu.toFixed(2)} × the CPU time of a ${singular}`] : []),
    ];
  });
  const goal = `at least pgbench's throughput for at most its CPU time per ${singular}`;
  return missed.length === 0
    ? `The native client reaches the goal in all ${all.length} loads: ${goal}.`
    : `The native client misses the goal, ${goal}, in: ${missed.join('; ')}.`;
}

function ratiosOf({ rounds }: Compared): { readonly perSecond: number; readonly cpu: number } {
  return {
    perSecond: medianOf(rounds.map(({ native, pgbench }) => native.perSecond / pgbench.perSecond)),
    cpu: medianOf(rounds.map(({ native, pgbench }) => native.cpuUs / pgbench.cpuUs)),
  };
}
