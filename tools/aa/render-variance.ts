import { existsSync } from 'node:fs';
import Table from 'cli-table3';
import { meanWithInterval, tFactor } from '@fair-bench/results';
import { middle } from './analyse.ts';
import type { AaRun } from './measure.ts';
import { blocksOf, componentsOf, covariatesOf, deviationAt, firstInBlock, firstOnStart } from './variance.ts';

/** The sources of a trial's deviation, as a table, and their correlation with the machine's covariates. */
export function renderVariance(runs: readonly AaRun[]): string {
  const blocks = runs.flatMap(({ plan, trials }) => blocksOf(plan, trials));
  const windowMs = runs[0]?.plan.timing.windowMs ?? 0;
  const components = componentsOf(blocks);
  const { round, copy, trial, window, trials } = components;
  const all = round + copy + trial + window;
  const table = plainTable(['a trial deviates by', 'deviation', 'share', 'what it is']);
  const row = (name: string, variance: number, what: string): void =>
    void table.push([name, percent(Math.sqrt(variance)), percent(variance / all), what]);
  row('its round', round, 'the machine drifts: taken out by pairing within a round');
  row('its copy', copy, 'one of the equal targets is always off');
  row('itself', trial, 'from one trial to the next, whatever the window');
  row('its window', window, `${windowMs} ms of the load, judged by their two halves`);
  const others = [windowMs / 2, windowMs * 2, windowMs * 4].map(
    (other) => `${percent(deviationAt(components, windowMs, other))} with ${other} ms`,
  );
  return [
    `\nDeviations of ${trials} trials of one target, on the logarithm of throughput`,
    table.toString(),
    `Within a round a trial deviates by ${percent(deviationAt(components, windowMs, windowMs))}; it would by ${others.join(', ')}.`,
    orderLine(runs),
    '',
    renderCovariates(blocks),
    ...unseen(),
  ].join('\n');
}

function orderLine(runs: readonly AaRun[]): string {
  const firsts = runs.flatMap(({ plan, trials }) => firstInBlock(plan, blocksOf(plan, trials)));
  return `Order: the first trial of a block is ${estimate(firsts)} faster than its others.`;
}

/** Whether servers are warm in the first trial after their start; empty where a start has one trial of a target. */
export function startLine(runs: readonly Pick<AaRun, 'plan' | 'trials'>[]): string {
  const firsts = runs.flatMap(({ plan, trials }) => firstOnStart(plan, trials));
  if (firsts.length === 0) return '';
  return `Start: the first trial on a new server is ${estimate(firsts)} faster than the others on it.\n`;
}

function estimate(values: readonly number[]): string {
  const { mean, ci95 } = meanWithInterval(values);
  return `${percent(mean)}${ci95 === null ? '' : ` [${percent(ci95[0])}, ${percent(ci95[1])}]`}`;
}

/**
 * The value of a covariate as a control variate: the interval becomes √(1 − share) as wide, times the cost of one
 * degree of freedom.
 */
function renderCovariates(blocks: ReturnType<typeof blocksOf>): string {
  const rounds = middle(blocks.map(({ length }) => length));
  const cost = rounds > 2 ? tFactor(rounds - 2) / tFactor(rounds - 1) : Number.NaN;
  const table = plainTable([
    'covariate of a trial',
    'share of its deviation',
    'interval with it as control variate',
  ]);
  for (const { name, share } of covariatesOf(blocks)) {
    if (typeof share === 'string') table.push([name, share, '–']);
    else table.push([name, percent(share), `× ${(Math.sqrt(1 - share) * cost).toFixed(2)}`]);
  }
  return `${table.toString()}\nNone is used: reports print intervals of throughput alone.`;
}

/** What the kernel does not report is stated. */
function unseen(): string[] {
  if (existsSync('/sys/bus/event_source/devices/cpu')) return [];
  return ['instructions retired: the kernel has no hardware counters here'];
}

function plainTable(head: string[]): Table.Table {
  return new Table({ head, style: { head: [], border: [] } });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
