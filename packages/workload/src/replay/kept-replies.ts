import { nothingAt } from '../nothing-at.ts';
import type { Row, Value, Values } from '@fair-bench/contract';
import type { PlannedOperation, PlannedWorkload } from '../resolved.ts';
import { bigOf } from './bind.ts';

/** A value that each session keeps of its replies: that of the field of this name. */
interface Kept {
  readonly field: string;
  readonly hold: number;
  readonly initial: bigint;
}

/** Which arguments an operation takes from the kept values, and which of its own fields are kept. */
interface Keeping {
  readonly takes: readonly { readonly argument: number; readonly kept: number }[];
  readonly gives: readonly { readonly field: number; readonly kept: number }[];
}

/** What the sessions of a workload keep of their replies, for arguments of the generator `replied`. */
export class KeptFields {
  readonly kept: readonly Kept[];
  /** By operation. */
  readonly operations: readonly Keeping[];

  constructor({ operations }: PlannedWorkload) {
    const kept: Kept[] = [];
    const numberOf = ({ field, hold, initial }: Kept): number => {
      const known = kept.findIndex(
        (each) => each.field === field && each.hold === hold && each.initial === initial,
      );
      return known === -1 ? kept.push({ field, hold, initial }) - 1 : known;
    };
    const takes = operations.map(({ arguments: all }) =>
      all.flatMap((argument, place) =>
        argument.kind === 'scalar' && argument.generator.kind === 'replied'
          ? [{ argument: place, kept: numberOf(argument.generator) }]
          : [],
      ),
    );
    this.kept = kept;
    this.operations = operations.map((operation, number) => ({
      takes: takes[number] ?? nothingAt(number),
      gives: kept.flatMap(({ field }, each) => givenBy(operation, field, each)),
    }));
  }
}

function givenBy({ returns }: PlannedOperation, name: string, kept: number): Keeping['gives'] {
  if (returns.kind !== 'fields') return [];
  const field = returns.fields.findIndex((each) => each.name === name && each.type.kind === 'int64');
  return field === -1 ? [] : [{ field, kept }];
}

const none: readonly bigint[] = [];

/** The values that one session keeps. */
export class KeptReplies {
  readonly #fields: KeptFields;
  readonly #values: bigint[];
  /** By value, the operation whose reply had it; −1 before the first. */
  readonly #sequences: number[];

  constructor(fields: KeptFields) {
    this.#fields = fields;
    this.#values = fields.kept.map(({ initial }) => initial);
    this.#sequences = fields.kept.map(() => -1);
  }

  /** Writes the arguments of an operation that is drawn now. */
  fill(operation: number, values: Value[]): void {
    if (this.#values.length === 0) return;
    for (const { argument, kept } of this.#fields.operations[operation]?.takes ?? []) {
      values[argument] = this.#values[kept] ?? nothingAt(kept);
    }
  }

  /** Takes the fields of an operation that was applied. */
  note(operation: number, sequence: number, fields: Row): void {
    for (const { field, kept } of this.#fields.operations[operation]?.gives ?? []) {
      const before = this.#sequences[kept] ?? -1;
      if (before !== -1 && sequence - before < (this.#fields.kept[kept]?.hold ?? 0)) continue;
      this.#sequences[kept] = sequence;
      this.#values[kept] = bigOf(fields[field] ?? nothingAt(field));
    }
  }

  /** The arguments that an operation took, in the order of its arguments. */
  taken(operation: number, values: Values): readonly bigint[] {
    if (this.#values.length === 0) return none;
    return (this.#fields.operations[operation]?.takes ?? []).map(({ argument }) => {
      const value = values[argument];
      return typeof value === 'bigint' ? value : 0n;
    });
  }
}
