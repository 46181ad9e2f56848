import { isInLoadClient, overRoles } from '@fair-bench/contract';
import { formatNumber } from '../../sections/format.ts';
import { formatLatency } from '../../sections/results.ts';
import { logAxis } from '../charts/axes.ts';
import { type Bar, barChart } from '../charts/bar-chart.ts';
import type { CellGroup, Evidence } from '../evidence.ts';
import { exact, figure, exactEnds } from '../figure.ts';
import { latencyNameOf } from './latency.ts';
import type { Markup } from '../markup.ts';
import { type MeasuredCell } from '@fair-bench/results';

/**
 * Three charts for each load: throughput, latency and the servers' CPU time. The order and the colour of a target are
 * the same in all three.
 */
export function overviewFigures(evidence: Evidence): readonly Markup[] {
  return evidence.groups.flatMap((group) => [
    throughputFigure(group, evidence),
    latencyFigure(group, evidence),
    serverCpuFigure(group, evidence),
  ]);
}

function throughputFigure(group: CellGroup, { styleOf }: Evidence): Markup {
  const name = `Throughput at ${group.name}`;
  const bars = group.cells.map((cell) => ({
    ...barOf(group, cell, tpsOf(cell)),
    stretches: [{ from: 0, to: cell.tps.mean, style: styleOf(cell.target) }],
    ci95: cell.tps.ci95,
    anyRun: cell.tps.anyRun?.ci95 ?? null,
  }));
  const unmeasured = group.unmeasured.map((cell) => {
    return { name: group.nameOf(cell), value: cell.status, stretches: [] };
  });
  const all = [...bars, ...unmeasured];
  const hasAnyRun = group.cells.some(({ tps }) => tps.anyRun !== undefined);
  const title = `TPS, with 95 % interval${hasAnyRun ? ' of this run (line) and the next (dots)' : ''}`;
  const chart = barChart({ label: labelOf(name, all), title, bars: all });
  return figure(name, chart, null, {
    heads: [
      'cell',
      'TPS',
      '95 % low',
      '95 % high',
      ...(hasAnyRun ? anyRunHeads : []),
      ...roundHeads(group.cells),
    ],
    rows: group.cells
      .map((cell) => [
        group.nameOf(cell),
        exact(cell.tps.mean),
        ...exactEnds(cell.tps.ci95),
        ...(hasAnyRun ? exactEnds(cell.tps.anyRun?.ci95) : []),
        ...cell.tps.trials.map(exact),
      ])
      .concat(group.unmeasured.map((cell) => [group.nameOf(cell), cell.status, '–', '–'])),
  });
}

const anyRunHeads = ['next run low', 'next run high'] as const;

/** From the median to the 99th percentile, on a logarithmic axis. */
function latencyFigure(group: CellGroup, { styleOf }: Evidence): Markup {
  const name = `Latency at ${group.name}`;
  const bars = group.cells.map((cell) => {
    const { p50, p99 } = cell.latencyMs;
    const value = `${formatLatency(cell, p50)} – ${formatLatency(cell, p99)} ms`;
    return { ...barOf(group, cell, value), stretches: [{ from: p50, to: p99, style: styleOf(cell.target) }] };
  });
  const { scale, ticks } = logAxis(
    'ms',
    group.cells.flatMap(({ latencyMs: { p50, p99 } }) => [p50, p99]),
  );
  const title = 'ms, from p50 to p99';
  const axis = { scale, ticks: ticks.map(({ value }) => value) };
  return figure(name, barChart({ label: labelOf(name, bars), title, bars, ...axis }), null, {
    heads: ['cell', 'p50 ms', 'p99 ms'],
    rows: group.cells.map((cell) => [
      latencyNameOf(group, cell),
      exact(cell.latencyMs.p50),
      exact(cell.latencyMs.p99),
    ]),
  });
}

/** Application server and database together, without the load client. */
function serverCpuFigure(group: CellGroup, { styleOf }: Evidence): Markup {
  const name = `Server CPU time at ${group.name}`;
  const bars = group.cells.map((cell) => {
    const us = serverCpuUs(cell);
    const value = us === null ? 'not observed' : `${formatNumber(us)} µs`;
    const stretches = us === null ? [] : [{ from: 0, to: us, style: styleOf(cell.target) }];
    return { ...barOf(group, cell, value), stretches };
  });
  const title = 'servers’ CPU µs per applied operation';
  return figure(name, barChart({ label: labelOf(name, bars), title, bars }), null, {
    heads: ['cell', 'server CPU µs'],
    rows: group.cells.map((cell) => [group.nameOf(cell), exact(serverCpuUs(cell))]),
  });
}

function serverCpuUs({ cpuUsPerTxn }: MeasuredCell): number | null {
  return overRoles(cpuUsPerTxn);
}

function barOf(group: CellGroup, cell: MeasuredCell, value: string): Pick<Bar, 'name' | 'value' | 'title'> {
  return { name: group.nameOf(cell), value, title: `${group.nameOf(cell)}: ${makeUpOf(cell)}` };
}

/** What stands between the load client and the rows: client, protocol, application server, route and database. */
function makeUpOf({ client, route, facts }: MeasuredCell): string {
  const { appServer, wireProtocol, system } = facts;
  const hop =
    appServer === null
      ? isInLoadClient(facts)
        ? 'engine inside the load client'
        : 'no application server'
      : `application server on ${appServer.runtime} (processes: ${appServer.processes})`;
  return `${client} client, ${wireProtocol}, ${hop}, route ${route}, ${system.name} ${system.version}`;
}

function tpsOf({ tps: { mean, ci95 } }: MeasuredCell): string {
  const error = ci95 === null ? '' : ` ± ${formatNumber(ci95[1] - mean)}`;
  return `${formatNumber(mean)}${error}`;
}

/** A chart in words, with each target's make-up: screen readers skip the drawing. */
function labelOf(name: string, bars: readonly Bar[]): string {
  const inWords = bars.map((bar) => `${bar.title ?? bar.name}: ${bar.value}`);
  return `${name}: ${inWords.join('; ')}`;
}

function roundHeads(cells: readonly MeasuredCell[]): readonly string[] {
  const rounds = Math.max(0, ...cells.map(({ tps }) => tps.trials.length));
  return Array.from({ length: rounds }, (_, round) => `round ${round + 1}`);
}
