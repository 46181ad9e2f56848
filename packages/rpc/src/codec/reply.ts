import type { ColumnShape, Reply, ReturnShape, Row, ScalarValue } from '@fair-bench/contract';

export type ReadReply = (json: unknown) => Reply | null | undefined;

/** A reply as JSON: `{"rows":[[…],…]}` or `{"fields":[…]}`, values in declared order. */
export function encodeReply(reply: Reply): string {
  if (reply.kind === 'fields') return `{"fields":${encodeRow(reply.fields)}}`;
  return `{"rows":[${reply.rows.map(encodeRow).join(',')}]}`;
}

export function encodeRow(row: Row): string {
  return `[${row.map(encodeCell).join(',')}]`;
}

function encodeCell(value: ScalarValue): string {
  if (typeof value === 'bigint') return `"${value}"`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
}

/** Reads the replies of an operation; `undefined` for an invalid one. */
export function replyReader({ kind }: ReturnShape, columns: readonly ColumnShape[]): ReadReply {
  const row = rowReader(columns);
  if (kind === 'nothing') return (json) => (json === undefined ? null : undefined);
  if (kind === 'fields') {
    return (json) => {
      const fields = row(memberOf(json, 'fields'));
      return fields === null ? undefined : { kind: 'fields', fields };
    };
  }
  return (json) => {
    const all = memberOf(json, 'rows');
    if (!Array.isArray(all) || (kind === 'row' && all.length > 1)) return undefined;
    const rows: Row[] = [];
    for (const one of all) {
      const read = row(one);
      if (read === null) return undefined;
      rows.push(read);
    }
    return { kind: 'rows', rows };
  };
}

export function rowReader(columns: readonly ColumnShape[]): (json: unknown) => Row | null {
  const readers = columns.map(({ type }) => cellReaders[type.kind]);
  return (json) => {
    if (!Array.isArray(json) || json.length !== readers.length) return null;
    const row: ScalarValue[] = [];
    for (let place = 0; place < readers.length; place += 1) {
      const value = readers[place]?.(json[place]) ?? null;
      if (value === null) return null;
      row.push(value);
    }
    return row;
  };
}

const decimal = /^-?[0-9]{1,19}$/;

const cellReaders: Readonly<Record<ColumnShape['type']['kind'], (json: unknown) => ScalarValue | null>> = {
  key: (json) => (typeof json === 'number' && Number.isInteger(json) ? json : null),
  int64: (json) => (typeof json === 'string' && decimal.test(json) ? BigInt(json) : null),
  bool: (json) => (typeof json === 'boolean' ? json : null),
  text: (json) => (typeof json === 'string' ? json : null),
  bytes: (json) => (typeof json === 'string' ? Buffer.from(json, 'base64') : null),
};

function memberOf(json: unknown, name: 'rows' | 'fields'): unknown {
  return typeof json === 'object' && json !== null && Object.keys(json).join() === name
    ? Object.entries(json)[0]?.[1]
    : undefined;
}
