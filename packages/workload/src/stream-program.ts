import type { PlannedWorkload, ResolvedArgument, ResolvedField, ResolvedGenerator } from './resolved.ts';
import type { ScalarType } from './schema.ts';
import { Supplies } from './supplies.ts';

/** What a session does for each operation, as a list of instructions; `print-program.ts` writes them as source. */
export interface StreamProgram {
  /** Before the functions, by the name that each declares. */
  readonly head: ReadonlyMap<string, Declaration>;
  /** Only operations that are drawn, in their order. */
  readonly operations: readonly {
    readonly number: number;
    readonly weight: number;
    readonly body: readonly Instruction[];
  }[];
  /** The objects that declarations name by number. */
  readonly supplies: Supplies;
}

/** A variable of the session. */
export type Declaration =
  /** Numbers the session's operations. */
  | { readonly kind: 'sequence' }
  /** The first number of an operation's own value. */
  | { readonly kind: 'first' }
  | { readonly kind: 'supply'; readonly name: string; readonly number: number }
  /** The number of keys that this session has made for a table. */
  | { readonly kind: 'inserts'; readonly name: string }
  | { readonly kind: 'latest'; readonly name: string; readonly exponent: number; readonly rows: number };

/** Draws once: a word, one of `count`, or by a sampler that a declaration has. */
export type Draw =
  | { readonly kind: 'word' }
  | { readonly kind: 'one-of'; readonly count: number }
  | { readonly kind: 'sampler'; readonly name: string };

/** `to` is the variable that an instruction declares; names are those of declarations or of earlier instructions. */
export type Instruction =
  | { readonly kind: 'draw'; readonly to: string; readonly by: Draw }
  /** Unlike the records of the list so far. */
  | { readonly kind: 'draw-distinct'; readonly to: string; readonly by: Draw; readonly taken: string }
  /** One of `count` that is not `other`. */
  | { readonly kind: 'draw-other'; readonly to: string; readonly count: number; readonly other: string }
  /** A rank that is not `other`; `rest` draws one that is not the first. */
  | {
      readonly kind: 'draw-other-rank';
      readonly to: string;
      readonly by: Draw;
      readonly rest: Draw;
      readonly other: string;
    }
  | { readonly kind: 'fresh'; readonly to: string; readonly rows: number; readonly inserts: string }
  | { readonly kind: 'latest'; readonly to: string; readonly ranks: string; readonly inserts: string }
  /** The session's own one of `count`. */
  | { readonly kind: 'session'; readonly to: string; readonly count: number }
  /** ((one of a + 1) | (min + one of count)) + c, modulo count. */
  | ({ readonly kind: 'nurand'; readonly to: string } & NonUniform)
  /** Whether a draw of 100 is below. */
  | { readonly kind: 'chance'; readonly to: string; readonly percent: number }
  /** `same` where the flag is 1, else one of `count`, without `same` where it `differs`. */
  | {
      readonly kind: 'either';
      readonly to: string;
      readonly flag: string;
      readonly same: string;
      readonly count: number;
      readonly differs: boolean;
    }
  | { readonly kind: 'write'; readonly target: string; readonly value: Value }
  /** For `min` to `max` records of the argument in this slot. */
  | {
      readonly kind: 'list';
      readonly slot: number;
      readonly min: number;
      readonly max: number;
      readonly body: readonly Instruction[];
    };

/** TPC-C's NURand, clause 2.1.6. */
interface NonUniform {
  readonly a: number;
  readonly c: number;
  readonly min: bigint;
  readonly count: number;
}

/** The value of an argument or a field. */
export type Value =
  | { readonly kind: 'drawn'; readonly index: string }
  /** The operation's own number. */
  | { readonly kind: 'operation' }
  /** Text of `length`, or bytes written where they are, that name their operation and their place in it. */
  | {
      readonly kind: 'content';
      readonly pool: string;
      readonly length: number | 'in-place';
      readonly place: string;
      readonly index: string;
    }
  /** One of the texts of a supply. */
  | { readonly kind: 'text-of'; readonly texts: string; readonly index: string }
  /** Whether the index is not 0. */
  | { readonly kind: 'flag'; readonly index: string }
  /** One of a domain from `min`: of ranks by their permutation or, with null, as they are. */
  | {
      readonly kind: 'domain';
      readonly index: string;
      readonly rank: { readonly permutation: string | null } | null;
      readonly min: bigint;
      /** A table has the big integers from `min`. */
      readonly as: 'number' | 'bool' | 'bigint' | { readonly table: string };
    };

/** All draws of an operation come first, in declared order; then its values are written, which the processor overlaps well. */
interface Steps {
  readonly draws: readonly Instruction[];
  readonly writes: readonly Instruction[];
}

interface FieldPlace {
  readonly target: string;
  readonly id: string;
  readonly place: string;
  readonly all: readonly ResolvedArgument[];
}

type Drawn = Extract<ResolvedGenerator, { kind: 'uniform' | 'zipf' | 'ycsb-zipf' }>;

/** Integers of ranges up to here come from a table, so that drawing allocates none. */
const tabledMax = 65_536;

export function programOf(workload: PlannedWorkload): StreamProgram {
  return new Planner(workload).program();
}

class Planner {
  readonly #workload: PlannedWorkload;
  readonly #supplies: Supplies;
  readonly #head = new Map<string, Declaration>();

  constructor(workload: PlannedWorkload) {
    this.#workload = workload;
    this.#supplies = new Supplies(workload);
  }

  program(): StreamProgram {
    const drawn = this.#workload.operations.filter(({ weight }) => weight > 0);
    const operations = drawn.map(({ number, weight, arguments: all }) => ({
      number,
      weight,
      body: inOrder(all.map((argument, slot) => this.#argument(argument, slot, all))),
    }));
    return { head: this.#head, operations, supplies: this.#supplies };
  }

  #argument(argument: ResolvedArgument, slot: number, all: readonly ResolvedArgument[]): Steps {
    const first = placeOf(all, slot);
    if (argument.kind === 'scalar') {
      return this.#field(argument, { target: `v[${slot}]`, id: `${slot}`, place: `${first}`, all });
    }
    const { min, max, fields } = argument;
    const contents = fields.filter(isContent).length;
    const steps = fields.map((field, index) => {
      const ordinal = fields.slice(0, index).filter(isContent).length;
      const place = `${first} + i * ${contents} + ${ordinal}`;
      return this.#field(field, { target: `f${slot}[${index}][i]`, id: `${slot}_${index}`, place, all });
    });
    return { draws: [{ kind: 'list', slot, min, max, body: inOrder(steps) }], writes: [] };
  }

  #field({ type, generator }: ResolvedField, where: FieldPlace): Steps {
    // An earlier reply's value is no draw: the log writes it where it is.
    if (generator.kind === 'constant' || generator.kind === 'replied') return { draws: [], writes: [] };
    const index = `x${where.id}`;
    const draws = this.#draws(generator, index, where);
    const value = this.#value(type, generator, index, where);
    return { draws, writes: [{ kind: 'write', target: where.target, value }] };
  }

  #draws(generator: ResolvedGenerator, to: string, where: FieldPlace): readonly Instruction[] {
    switch (generator.kind) {
      case 'constant':
      case 'replied':
        return [];
      case 'operation':
        this.#countOperations();
        return [];
      case 'code':
        return [];
      case 'session':
        return [{ kind: 'session', to, count: generator.count }];
      case 'chance':
        return [{ kind: 'chance', to, percent: generator.percent }];
      case 'nurand': {
        const { a, c, min, count } = generator;
        return [{ kind: 'nurand', to, a, c, min, count }];
      }
      case 'syllables': {
        const { a, c, count } = generator;
        return [{ kind: 'nurand', to, a, c, min: 0n, count }];
      }
      case 'either': {
        const { flag, isField, same, count, differs } = generator;
        const [list] = where.id.split('_');
        const flagName = isField ? `x${list}_${flag}` : `x${flag}`;
        return [{ kind: 'either', to, flag: flagName, same: `x${same}`, count, differs }];
      }
      case 'content':
        return [{ kind: 'draw', to, by: { kind: 'word' } }];
      case 'choice':
        return [{ kind: 'draw', to, by: { kind: 'one-of', count: generator.options.length } }];
      case 'fresh':
        return [{ kind: 'fresh', to, rows: generator.rows, inserts: this.#inserts(generator.table) }];
      case 'latest': {
        const { table, rows, exponent } = generator;
        const inserts = this.#inserts(table);
        const ranks = this.#declare({ kind: 'latest', name: `latest${where.id}`, exponent, rows });
        return [{ kind: 'latest', to, ranks, inserts }];
      }
      case 'uniform':
      case 'zipf':
      case 'ycsb-zipf':
        return [this.#drawn(generator, to, where)];
      default:
        return generator satisfies never;
    }
  }

  /** Which of the domain's values, before the permutation. */
  #drawn(generator: Drawn, to: string, { id, all }: FieldPlace): Instruction {
    if (generator.kind === 'ycsb-zipf') {
      const folded = this.#supplies.folded(generator.exponent, generator.count);
      return { kind: 'draw', to, by: this.#sampler(`fold${id}`, folded) };
    }
    const { count, not, distinct } = generator;
    const by: Draw =
      generator.kind === 'zipf'
        ? this.#sampler(`ranks${id}`, this.#supplies.ranks(generator.exponent, 1, count))
        : { kind: 'one-of', count };
    if (distinct) {
      const taken = this.#supply(`taken${id}`, this.#supplies.scratch(all));
      return { kind: 'draw-distinct', to, by, taken };
    }
    if (not === null) return { kind: 'draw', to, by };
    const other = `x${not}`;
    if (generator.kind !== 'zipf') return { kind: 'draw-other', to, count, other };
    const rest = this.#sampler(`rest${id}`, this.#supplies.ranks(generator.exponent, 2, count));
    return { kind: 'draw-other-rank', to, by, rest, other };
  }

  #value(type: ScalarType, generator: ResolvedGenerator, index: string, { place }: FieldPlace): Value {
    switch (generator.kind) {
      case 'operation':
        this.#head.set('first', { kind: 'first' });
        return { kind: 'operation' };
      case 'content': {
        this.#countOperations();
        const pool = this.#supply('pool', this.#supplies.pool());
        const length = type.kind === 'bytes' ? 'in-place' : type.kind === 'text' ? type.length : 0;
        return { kind: 'content', pool, length, place, index };
      }
      case 'chance':
        return { kind: 'flag', index };
      case 'syllables': {
        const texts = this.#supply(`names${generator.digits}`, this.#supplies.names(generator));
        return { kind: 'text-of', texts, index };
      }
      case 'uniform':
      case 'zipf':
      case 'ycsb-zipf':
      case 'session':
      case 'nurand':
      case 'either': {
        const { min } = generator;
        const rank = generator.kind === 'zipf' ? this.#rank(generator) : null;
        if (type.kind === 'int64') {
          return { kind: 'domain', index, rank, min, as: this.#big(generator) };
        }
        return { kind: 'domain', index, rank, min, as: type.kind === 'bool' ? 'bool' : 'number' };
      }
      case 'constant':
      case 'choice':
      case 'fresh':
      case 'latest':
      case 'replied':
      case 'code':
        return { kind: 'drawn', index };
      default:
        return generator satisfies never;
    }
  }

  #rank(generator: Extract<Drawn, { kind: 'zipf' }>): { readonly permutation: string | null } {
    const { table, count, scramble } = generator;
    if (!scramble || table === null) return { permutation: null };
    return { permutation: this.#supply(`order${table}_${count}`, this.#supplies.permutation(table, count)) };
  }

  #big({
    min,
    count,
  }: {
    readonly min: bigint;
    readonly count: number;
  }): 'bigint' | { readonly table: string } {
    if (count > tabledMax) return 'bigint';
    const name = `wide${min < 0n ? '_' : ''}${min < 0n ? -min : min}_${count}`;
    return { table: this.#supply(name, this.#supplies.bigs(min, count)) };
  }

  #countOperations(): void {
    this.#head.set('sequence', { kind: 'sequence' });
  }

  #inserts(table: number): string {
    return this.#declare({ kind: 'inserts', name: `inserts${table}` });
  }

  #sampler(name: string, number: number): Draw {
    return { kind: 'sampler', name: this.#supply(name, number) };
  }

  #supply(name: string, number: number): string {
    return this.#declare({ kind: 'supply', name, number });
  }

  #declare(declaration: Extract<Declaration, { name: string }>): string {
    this.#head.set(declaration.name, declaration);
    return declaration.name;
  }
}

function inOrder(steps: readonly Steps[]): readonly Instruction[] {
  return [...steps.flatMap(({ draws }) => draws), ...steps.flatMap(({ writes }) => writes)];
}

/** The place of an argument's first text or bytes among those of the operation. */
function placeOf(all: readonly ResolvedArgument[], slot: number): number {
  return all.slice(0, slot).reduce((sum, argument) => sum + placesOf(argument), 0);
}

/** How many texts and bytes an argument has at most. */
function placesOf(argument: ResolvedArgument): number {
  if (argument.kind === 'scalar') return isContent(argument) ? 1 : 0;
  return argument.max * argument.fields.filter(isContent).length;
}

function isContent({ generator }: ResolvedField): boolean {
  return generator.kind === 'content';
}
