import { fileURLToPath } from 'node:url';
import type { ColumnShape, TargetWorkload } from '@fair-bench/contract';

const key = (name: string): ColumnShape => ({ name, type: { kind: 'key' } });
const int64 = (name: string): ColumnShape => ({ name, type: { kind: 'int64' } });
const argument = ({ name, type }: ColumnShape) => ({ kind: 'scalar', name, type }) as const;

const label: readonly ColumnShape[] = [
  key('box'),
  int64('number'),
  { name: 'text', type: { kind: 'text', length: 200 } },
  { name: 'stamp', type: { kind: 'bytes', length: 20 } },
  { name: 'glued', type: { kind: 'bool' } },
];

/** The numbers of the operations. */
export const operations = { move: 0, take: 1, stick: 2, labels: 3, whim: 4 } as const;

/** A workload that has every type, each kind of reply, a list, functions and statements. */
export const boxes: TargetWorkload = {
  folder: fileURLToPath(new URL('.', import.meta.url)),
  description: {},
  mayOnlyInsert: false,
  shape: {
    name: 'boxes',
    tables: [
      { name: 'box', columns: [key('id'), int64('items')], keyColumns: 1, indexes: [], written: true },
      { name: 'label', columns: label, keyColumns: 2, indexes: [['text']], written: true },
      { name: 'colour', columns: [key('id'), int64('shade')], keyColumns: 1, indexes: [], written: false },
    ],
    operations: [
      {
        name: 'move',
        arguments: [key('source'), key('target'), int64('amount')].map(argument),
        reasons: ['missing', 'too-few'],
        returns: { kind: 'nothing' },
        writes: true,
      },
      {
        name: 'take',
        arguments: [{ kind: 'list', name: 'lines', max: 1_000, fields: [key('box'), int64('items')] }],
        reasons: ['missing'],
        returns: { kind: 'fields', fields: [int64('taken'), { name: 'empty', type: { kind: 'bool' } }] },
        writes: true,
      },
      {
        name: 'stick',
        arguments: label.map(argument),
        reasons: [],
        returns: { kind: 'nothing' },
        writes: true,
      },
      {
        name: 'labels',
        arguments: [argument(key('box'))],
        reasons: [],
        returns: { kind: 'rows', table: 1 },
        writes: false,
      },
      {
        name: 'whim',
        arguments: [argument(int64('number'))],
        reasons: [],
        returns: { kind: 'nothing' },
        writes: false,
      },
    ],
  },
};
