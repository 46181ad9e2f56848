import { medianOf } from '@fair-bench/results';
import type { Measured } from './peer.ts';

/** One load, measured by both clients in each round. */
export interface Compared {
  readonly target: string;
  readonly sessions: number;
  readonly rounds: readonly { readonly ours: Measured; readonly peer: Measured }[];
}

interface Named {
  /** Our load client's name. */
  readonly ours: string;
  readonly peer: string;
  readonly processors: number;
}

/** Two clients agree within this share of throughput. */
const agreement = 0.1;
/** Above this share of all processors a machine is saturated. */
const saturated = 0.9;

export function tableHeadOf({ ours, peer }: Named): string {
  return [
    `| target | sessions | ${ours}, per second | ${peer} | ratio | ${ours}, client CPU µs each | ${peer} | ratio | errors | finding |`,
    `| --- |${' ---: |'.repeat(8)} --- |`,
  ].join('\n');
}

/** A line of the table: medians, and medians of the rounds' ratios. */
export function rowOf(compared: Compared, named: Named): string {
  const { target, sessions, rounds } = compared;
  const { throughput, cpu } = ratiosOf(compared);
  const median = (of: (round: Compared['rounds'][number]) => number): number => medianOf(rounds.map(of));
  const cells = [
    target,
    sessions,
    Math.round(median(({ ours }) => perSecond(ours))),
    Math.round(median(({ peer }) => perSecond(peer))),
    throughput.toFixed(2),
    median(({ ours }) => cpuUsEach(ours)).toFixed(1),
    median(({ peer }) => cpuUsEach(peer)).toFixed(1),
    cpu.toFixed(2),
    `${median(({ ours }) => ours.faults)} and ${median(({ peer }) => peer.faults)}`,
    findingOf(compared, named),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Whether both clients agree, and if not, which of them used up the processors. */
export function findingOf({ rounds }: Compared, { ours, peer, processors }: Named): string {
  const all = { ours: rounds.map((round) => round.ours), peer: rounds.map((round) => round.peer) };
  const middle = (clients: readonly Measured[], of: (one: Measured) => number): number =>
    medianOf(clients.map(of));
  const ratio = middle(all.ours, perSecond) / middle(all.peer, perSecond);
  if (Math.abs(ratio - 1) <= agreement) return 'they agree within 10 %';
  const [name, slower, faster] = ratio > 1 ? [peer, all.peer, all.ours] : [ours, all.ours, all.peer];
  const busy = middle(slower, (one) => one.busy);
  if (busy < saturated || middle(slower, cpuUsEach) <= middle(faster, cpuUsEach))
    return `not ${name}'s CPU: its window left processors idle, or it is the cheaper client`;
  const cores = middle(slower, ({ clientCpuUs, windowMs }) => clientCpuUs / 1000 / windowMs);
  return `${name} saturates: it takes ${cores.toFixed(2)} of ${processors} processors, and none is left`;
}

/** The goal: at least the peer's throughput, for at most its CPU time. */
export function verdictOf(all: readonly Compared[], { ours, peer }: Named): string {
  const missed = all.flatMap((compared) => {
    const { throughput, cpu } = ratiosOf(compared);
    const name = `${compared.target} at ${compared.sessions}`;
    return [
      ...(throughput < 1 ? [`${name}: ${throughput.toFixed(2)} × the throughput`] : []),
      ...(cpu > 1 ? [`${name}: ${cpu.toFixed(2)} × the CPU time of an operation`] : []),
    ];
  });
  const goal = `at least ${peer}'s throughput for at most its CPU time of an operation`;
  return missed.length === 0
    ? `The ${ours} load client reaches the goal in all ${all.length} loads: ${goal}.`
    : `The ${ours} load client misses the goal, ${goal}, in: ${missed.join('; ')}.`;
}

function ratiosOf({ rounds }: Compared): { readonly throughput: number; readonly cpu: number } {
  return {
    throughput: medianOf(rounds.map(({ ours, peer }) => perSecond(ours) / perSecond(peer))),
    cpu: medianOf(rounds.map(({ ours, peer }) => cpuUsEach(ours) / cpuUsEach(peer))),
  };
}

export function perSecond({ applied, windowMs }: Measured): number {
  return (applied / windowMs) * 1000;
}

function cpuUsEach({ clientCpuUs, applied }: Measured): number {
  return clientCpuUs / applied;
}
