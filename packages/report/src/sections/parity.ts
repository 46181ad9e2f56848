import { type ParityRow, type RunSummary, basisWords } from '@fair-bench/results';
import { type ColumnOf, left, type Section, tableOf } from './section.ts';

export function paritySection({ parity }: RunSummary): readonly Section[] {
  if (parity.length === 0) return [];
  const lines = [
    'FAIR-BENCHMARK.md has the rules by number. equal: must be the same for all; profile: what the fair profile of the system accepts; shown: differs by nature. Load is as planned. Every other value was read from the live system or counted, except those called requested.',
  ];
  return [{ title: 'Parity', lines, table: tableOf(columns, parity) }];
}

const columns: readonly ColumnOf<ParityRow>[] = [
  left('rule', ({ rule }) => rule),
  left('what', ({ subject }) => subject),
  left('kind', ({ kind }) => kind),
  left('holds', ({ holds }) => (holds ? 'yes' : 'NO')),
  left('values', describeValues),
];

function describeValues({ values, bases = {} }: ParityRow): string {
  const entries = Object.entries(values).map(([target, value]): readonly [string, string] => {
    const basis = bases[target];
    if (basis === undefined) return [target, value];
    const words = basisWords[basis.status];
    return [target, value === words ? `${words}: ${basis.because}` : `${value} (${words})`];
  });
  const once = new Set(entries.map(([, value]) => value));
  const [only] = once;
  if (once.size === 1 && only !== undefined && entries.length > 1) return `all: ${only}`;
  return entries.map(([target, value]) => `${target}: ${value}`).join('\n');
}
