import type { ScalarValue } from '@fair-bench/contract';
import { scale } from '../draw/scale.ts';
import type { ParameterValue, PlannedWorkload, ResolvedTable, Workload } from '../resolved.ts';
import { type Program, programOf, type SeededAt } from './program.ts';

/** The functions of a workload in code; null of any other, and of the part of one that a trial plan has. */
export function programIn(workload: PlannedWorkload): Program | null {
  return isWhole(workload) ? programOf(workload.description) : null;
}

function isWhole(workload: PlannedWorkload): workload is Workload {
  return 'description' in workload;
}

/** A parameter that is a number. Throws for any other. */
export function parametersIn(workload: PlannedWorkload): (parameter: string) => number {
  const { name } = workload;
  const parameters = isWhole(workload) ? workload.parameters : new Map<string, ParameterValue>();
  return (parameter) => {
    const value: ParameterValue | undefined = parameters.get(parameter);
    if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
    throw new Error(`workload ${name}: it has no parameter "${parameter}" that is a number`);
  };
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
/** Odd, so that the words of two turns differ. */
const turnStep = 0x9e37_79b9;
const letterStep = 0x85eb_ca6b;

/**
 * The rows of a table as its functions see them, one at a time: `wordOf` has a word for each row and turn. The
 * object is the same for every row.
 */
export class SeededRow implements SeededAt {
  readonly #table: ResolvedTable;
  readonly #places: ReadonlyMap<string, number>;
  readonly #wordOf: (row: number) => number;
  readonly #mix: (word: number) => number;
  readonly parameter: (name: string) => number;
  #row = 0;
  #word = 0;

  constructor(
    parameter: (name: string) => number,
    table: ResolvedTable,
    wordOf: (row: number) => number,
    mix: (word: number) => number,
  ) {
    this.#table = table;
    this.#places = new Map(table.columns.slice(0, table.keyColumns).map(({ name }, place) => [name, place]));
    this.#wordOf = wordOf;
    this.#mix = mix;
    this.parameter = parameter;
  }

  at(row: number): this {
    this.#row = row;
    this.#word = this.#wordOf(row);
    return this;
  }

  key(column: string): number {
    const { extents, firsts, keyColumns, name } = this.#table;
    const wanted = this.#places.get(column);
    if (wanted === undefined) throw new Error(`the key of ${name} has no column "${column}"`);
    let rest = this.#row;
    for (let place = keyColumns - 1; place > wanted; place -= 1)
      rest = Math.floor(rest / (extents[place] ?? 1));
    const value = wanted === 0 ? rest : rest % (extents[wanted] ?? 1);
    return value + (firsts?.[wanted] ?? 0);
  }

  between(min: number, max: number, turn = 0): number {
    const word = turn === 0 ? this.#word : this.#mix((this.#word + Math.imul(turn, turnStep)) | 0);
    return min + scale(word, max - min + 1);
  }

  letters(length: number, turn = 0): string {
    let word = this.#mix((this.#word + Math.imul(turn + 1, letterStep)) | 0);
    let text = '';
    // Five letters of each word.
    for (let place = 0; place < length; place += 1) {
      if (place % 5 === 4) word = this.#mix((word + letterStep) | 0);
      text += letters[(word >>> (6 * (place % 5))) % letters.length] ?? '';
    }
    return text;
  }
}

/** The value of seeded rows in a column that a function gives, by the row's number. */
export function seedInCode(
  program: Program,
  table: ResolvedTable,
  column: string,
  row: SeededRow,
): (number: number) => ScalarValue {
  const seedOf = program.seeds[table.name]?.[column];
  if (seedOf === undefined) throw new Error(`no function gives ${table.name}.${column} its seeded values`);
  return (number) => seedOf(row.at(number));
}
