import { isInLoadClient } from '@fair-bench/contract';
import { formatNumber } from '../../sections/format.ts';
import { barChart } from '../charts/bar-chart.ts';
import type { CellGroup, Evidence } from '../evidence.ts';
import { exact, figure, legendOf } from '../figure.ts';
import type { Markup } from '../markup.ts';
import { type MeasuredCell } from '@fair-bench/results';

interface Part {
  readonly name: string;
  readonly style: string;
  readonly of: (cell: MeasuredCell) => number | null;
}

const allParts: readonly Part[] = [
  { name: 'load client', style: 'part0', of: ({ cpuUsPerTxn }) => cpuUsPerTxn.client },
  { name: 'application server', style: 'part1', of: ({ cpuUsPerTxn }) => cpuUsPerTxn.appServer },
  { name: 'pooler', style: 'part3', of: ({ cpuUsPerTxn }) => cpuUsPerTxn.pooler },
  { name: 'database', style: 'part2', of: ({ cpuUsPerTxn }) => cpuUsPerTxn.database },
];

/** A pooler only where one of the cells has one. */
function partsOf({ cells }: CellGroup): readonly Part[] {
  return allParts.filter(({ name, of }) => name !== 'pooler' || cells.some((cell) => of(cell) !== null));
}

/** CPU time of one applied operation, stacked by who spent it. */
export function cpuFigures({ groups }: Evidence): readonly Markup[] {
  return groups.map((group) => {
    const name = `CPU per transaction at ${group.name}`;
    const parts = partsOf(group);
    const bars = group.cells.map((cell) => {
      const known = parts.flatMap(({ style, of }) => {
        const us = of(cell);
        return us === null ? [] : [{ style, us }];
      });
      const sums = known.map((_part, index) => known.slice(0, index).reduce((sum, { us }) => sum + us, 0));
      const stretches = known.map(({ style, us }, index) => {
        const from = sums[index] ?? 0;
        return { from, to: from + us, style };
      });
      return { name: group.nameOf(cell), value: inWords(cell, parts), stretches };
    });
    const chart = barChart({
      label: `${name}: ${labelOf(group)}`,
      title: 'CPU µs per applied operation',
      bars,
    });
    return figure(name, chart, legendOf(parts, 'area'), {
      heads: ['cell', ...parts.map((part) => `${part.name} µs`)],
      rows: group.cells.map((cell) => [group.nameOf(cell), ...parts.map(({ of }) => exact(of(cell)))]),
    });
  });
}

/** The sum, without what could not be read; the text says so. */
function inWords(cell: MeasuredCell, parts: readonly Part[]): string {
  const values = parts.map(({ of }) => of(cell));
  const sum = values.reduce<number>((total, value) => total + (value ?? 0), 0);
  if (cell.cpuUsPerTxn.database !== null) return `${formatNumber(sum)} µs`;
  return `${formatNumber(sum)} µs, ${isInLoadClient(cell.facts) ? 'load client and engine as one' : 'database not separate'}`;
}

function labelOf(group: CellGroup): string {
  return group.cells
    .map((cell) => {
      const spent = partsOf(group).flatMap(({ name, of }) => {
        const us = of(cell);
        return us === null ? [] : [`${name} ${formatNumber(us)} µs`];
      });
      return `${group.nameOf(cell)}: ${spent.join(', ')}`;
    })
    .join('; ');
}
