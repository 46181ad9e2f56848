import type { ColumnShape, Row } from '@fair-bench/contract';
import { encodeRow, rowReader } from './reply.ts';

/** Rows as the text of a JSON array, one array per row: the format of tables on a control port. */
export function encodeRows(rows: readonly Row[]): string {
  return `[${rows.map(encodeRow).join(',')}]`;
}

/** Reads the output of `encodeRows`; throws when a row does not match the columns. */
export function decodeRows(text: string, columns: readonly ColumnShape[]): Row[] {
  const json: unknown = JSON.parse(text);
  if (!Array.isArray(json)) throw new Error('rows are a JSON array');
  const read = rowReader(columns);
  return json.map((one) => {
    const row = read(one);
    if (row === null) throw new Error(`a row is ${JSON.stringify(one)}`);
    return row;
  });
}
