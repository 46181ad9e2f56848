import { nothingAt } from '../nothing-at.ts';
import type { ScalarValue } from '@fair-bench/contract';
import { type SessionReplay, wideAt } from '../replay/session-replay.ts';
import { words, writeVersion } from '../replay/version.ts';
import type { ResolvedOperation } from '../resolved.ts';
import type { ModelRow } from '../store.ts';
import { NamedValues, placesOf } from './named.ts';

/** What an outcome log has of an operation's reply: a text only by its version. */
export class LoggedReply {
  readonly #log: Uint32Array;
  readonly #first: number;
  readonly #operation: ResolvedOperation;
  readonly #fields: number;
  readonly #count: number;

  /** Null where nothing was logged: the operation returns nothing, or was not applied. */
  static of(operation: ResolvedOperation, replay: SessionReplay, sequence: number): LoggedReply | null {
    const at = replay.fieldsAt(sequence);
    return at === -1 ? null : new LoggedReply(operation, replay.log.fields, at);
  }

  private constructor(operation: ResolvedOperation, log: Uint32Array, first: number) {
    this.#log = log;
    this.#first = first;
    this.#operation = operation;
    this.#fields = 'fields' in operation.returns ? operation.returns.fields.length : 0;
    // The number of words comes before them.
    const length = log[first - 1] ?? nothingAt(first - 1);
    this.#count = this.#fields === 0 ? 0 : length / (2 * this.#fields);
  }

  rows(): readonly NamedValues[] {
    const { name, returns } = this.#operation;
    const fields = 'fields' in returns ? returns.fields : [];
    const places = placesOf(fields);
    return Array.from({ length: this.#count }, (_, row) => {
      const values = fields.map(({ type }, field): ScalarValue | undefined => {
        const wide = wideAt(this.#log, this.#placeOf(row, field));
        if (type.kind === 'int64') return wide;
        if (type.kind === 'key') return Number(wide);
        return type.kind === 'bool' ? wide !== 0n : undefined;
      });
      return new NamedValues(`the reply of ${name}`, places, values);
    });
  }

  /** The first field that differs from what was expected, in words; null where none does. */
  difference(expected: readonly ModelRow[]): string | null {
    if (expected.length !== this.#count) return `${this.#count} rows instead of ${expected.length}`;
    const { returns } = this.#operation;
    const fields = 'fields' in returns ? returns.fields : [];
    for (const [row, values] of expected.entries()) {
      for (const [field, value] of values.entries()) {
        if (value === null) continue;
        const at = this.#placeOf(row, field);
        writeVersion(value);
        if (words[0] === this.#log[at] && words[1] === this.#log[at + 1]) continue;
        const isText = typeof value === 'string' || typeof value === 'object';
        const found = isText ? 'another text' : String(wideAt(this.#log, at));
        const where = expected.length > 1 ? ` of row ${row}` : '';
        return `${fields[field]?.name}${where} is ${found} instead of ${String(value)}`;
      }
    }
    return null;
  }

  #placeOf(row: number, field: number): number {
    return this.#first + 2 * (row * this.#fields + field);
  }
}
