import type { ListValue, ScalarValue, Value } from '@fair-bench/contract';
import { operationOrigin } from './draw/content.ts';
import { directCountMax, foldItem, scale } from './draw/scale.ts';
import { purposes, seedWords } from './draw/splitmix64.ts';
import { Xoshiro128 } from './draw/xoshiro128.ts';
import { distinctIndex, LatestRanks, Supplies } from './supplies.ts';
import type { PlannedWorkload, ResolvedArgument, ResolvedField, ResolvedGenerator } from './resolved.ts';
import type { ScalarType } from './schema.ts';
import type { Slots, WorkloadStream } from './stream.ts';

export interface StreamPlace {
  /** The session's number, from 0, unique in the trial. */
  readonly session: number;
  /** How many sessions the trial has: fresh keys of two sessions differ. */
  readonly sessions: number;
}

/**
 * The stream of one session, from source that is generated once per workload: slots by number, samplers and constants
 * in variables, no name lookups, and no allocation except big integers beyond a table and the text itself.
 */
export function createStream(workload: PlannedWorkload, { session, sessions }: StreamPlace): WorkloadStream {
  const random = new Xoshiro128(seedWords(workload.seed, session, purposes.operations, 4));
  return { next: compiledOf(workload)(random, session, sessions) };
}

/** Storage for the arguments of each operation, with constant parts filled in. */
export function createSlots(workload: PlannedWorkload): Slots {
  return workload.operations.map((operation) => operation.arguments.map(initialValue));
}

type Next = (slots: Slots) => number;
type Compiled = (random: Xoshiro128, session: number, sessions: number) => Next;

const compiledByWorkload = new WeakMap<PlannedWorkload, Compiled>();

function compiledOf(workload: PlannedWorkload): Compiled {
  const known = compiledByWorkload.get(workload);
  if (known !== undefined) return known;
  const source = new Source(workload);
  const text = source.text();
  // oxlint-disable-next-line typescript/no-implied-eval -- The source is made here from a workload that a schema has checked; no name or text of it goes in.
  const factory = new Function('tools', 'supplies', 'random', 'session', 'sessions', text);
  const tools = { scale, foldItem, distinctIndex, operationOrigin, LatestRanks };
  const compiled: Compiled = (random, session, sessions) => {
    const next: unknown = factory(tools, source.supplies, random, session, sessions);
    if (!isNext(next)) throw new Error(`workload ${workload.name}: its stream did not compile`);
    return next;
  };
  compiledByWorkload.set(workload, compiled);
  return compiled;
}

function isNext(value: unknown): value is Next {
  return typeof value === 'function';
}

function initialValue(argument: ResolvedArgument): Value {
  if (argument.kind === 'scalar') return initialScalar(argument);
  const fields = argument.fields.map((field) =>
    Array.from({ length: argument.max }, () => initialScalar(field)),
  );
  return { length: 0, fields } satisfies ListValue;
}

function initialScalar({ type, generator }: ResolvedField): ScalarValue {
  if (generator.kind === 'constant') return generator.value;
  if (type.kind === 'int64') return 0n;
  if (type.kind === 'text') return '';
  if (type.kind === 'bytes') return new Uint8Array(type.length);
  return type.kind === 'bool' ? false : 0;
}

/** Writes the source of a workload's streams; `supplies` has the objects that the source uses by number. */
class Source {
  readonly supplies: Supplies;
  readonly #workload: PlannedWorkload;
  /** Declarations before the functions: supplies by name, and the session's own counters. */
  readonly #head = new Map<string, string>();

  constructor(workload: PlannedWorkload) {
    this.#workload = workload;
    this.supplies = new Supplies(workload);
  }

  text(): string {
    const drawn = this.#workload.operations.filter(({ weight }) => weight > 0);
    const functions = drawn.map((operation) => {
      const body = operation.arguments.map((argument, slot) =>
        this.#argument(argument, slot, operation.arguments),
      );
      return `function draw${operation.number}(v) {\n${joined(body)}}\n`;
    });
    return [
      "'use strict';\nconst { scale, foldItem, distinctIndex, operationOrigin, LatestRanks } = tools;\n",
      ...this.#head.values(),
      ...functions,
      `return function next(slots) {\n${this.#head.has('sequence') ? '  sequence += 1;\n' : ''}${this.#choose()}};\n`,
    ].join('');
  }

  #choose(): string {
    const drawn = this.#workload.operations.filter(({ weight }) => weight > 0);
    const calls = drawn.map(({ number }) => `draw${number}(slots[${number}]); return ${number};`);
    if (calls.length === 1) return `  ${calls[0]}\n`;
    const total = drawn.reduce((sum, { weight }) => sum + weight, 0);
    let before = 0;
    const cases = drawn.map(({ weight }, index) => {
      before += weight;
      const condition = index === drawn.length - 1 ? '' : `if (x < ${before}) `;
      return `  ${condition}{ ${calls[index]} }\n`;
    });
    return `  const x = ${scaled('random.nextInt32()', total)};\n${cases.join('')}`;
  }

  #argument(argument: ResolvedArgument, slot: number, all: readonly ResolvedArgument[]): Code {
    if (argument.kind === 'scalar') {
      const place = placeOf(all, slot);
      return this.#field(argument, { target: `v[${slot}]`, id: `${slot}`, place: `${place}`, all });
    }
    const { min, max, fields } = argument;
    const length = min === max ? `${min}` : `${min} + ${scaled('random.nextInt32()', max - min + 1)}`;
    const contents = fields.filter(isContent).length;
    const body = fields.map((field, index) => {
      const ordinal = fields.slice(0, index).filter(isContent).length;
      const place = `${placeOf(all, slot)} + i * ${contents} + ${ordinal}`;
      return this.#field(field, { target: `f${slot}[${index}][i]`, id: `${slot}_${index}`, place, all });
    });
    const draw = [
      `  const n${slot} = ${length}, f${slot} = v[${slot}].fields;\n  v[${slot}].length = n${slot};\n`,
      `  for (let i = 0; i < n${slot}; i += 1) {\n${joined(body)}  }\n`,
    ];
    return { draw: draw.join(''), write: '' };
  }

  #field(field: ResolvedField, where: FieldPlace): Code {
    const { type, generator } = field;
    const { kind } = generator;
    if (kind === 'constant') return { draw: '', write: '' };
    const index = `x${where.id}`;
    const draw = this.#drawn(field, index, where);
    return { draw, write: `  ${where.target} = ${this.#value(type, generator, index, where)};\n` };
  }

  /** Statements that draw and declare `index`. */
  #drawn({ generator }: ResolvedField, index: string, where: FieldPlace): string {
    const { kind } = generator;
    if (kind === 'constant') return '';
    if (kind === 'latest') return this.#latest(generator, index, where);
    if (kind === 'content') return `  const ${index} = random.nextInt32();\n`;
    if (kind === 'choice') {
      return `  const ${index} = ${scaled('random.nextInt32()', generator.options.length)};\n`;
    }
    if (kind === 'operation') {
      this.#countOperations();
      return '';
    }
    if (kind === 'fresh') {
      const count = this.#inserts(generator.table);
      return `  const ${index} = supplies.keyOf(${generator.rows} + ${count}++ * sessions + session);\n`;
    }
    return this.#draw(generator, index, where);
  }

  /** The expression of an argument's value. */
  #value(
    type: ScalarType,
    generator: ResolvedGenerator,
    index: string,
    { place, target }: FieldPlace,
  ): string {
    const { kind } = generator;
    if (kind === 'operation') {
      this.#head.set('first', 'const first = BigInt(session) << 32n;\n');
      return 'first + BigInt(sequence)';
    }
    if (kind === 'content') {
      this.#countOperations();
      const pool = this.#supply('pool', this.supplies.pool());
      const written = `operationOrigin(session, ${place}), sequence | 0, ${index}`;
      if (type.kind === 'bytes') return `${pool}.writeBytes(${target}, ${written})`;
      return `${pool}.text(${type.kind === 'text' ? type.length : 0}, ${written})`;
    }
    if (kind !== 'uniform' && kind !== 'zipf' && kind !== 'ycsb-zipf') return index;
    const typed = this.#typed(type.kind === 'int64', generator, this.#identified(generator, index));
    return type.kind === 'bool' ? `${typed} !== 0` : typed;
  }

  /** Declares `index`: which of the domain's values, before the permutation. */
  #draw(generator: Drawn, index: string, { id, all }: FieldPlace): string {
    if (generator.kind === 'ycsb-zipf') {
      const sampler = this.#supply(`fold${id}`, this.supplies.folded(generator.exponent, generator.count));
      return `  const ${index} = ${sampler}.draw(random);\n`;
    }
    const { count, not, distinct } = generator;
    const ranked = generator.kind === 'zipf';
    const sampler = ranked
      ? this.#supply(`ranks${id}`, this.supplies.ranks(generator.exponent, 1, count))
      : '';
    const draw = ranked ? `${sampler}.draw(random)` : scaled('random.nextInt32()', count);
    if (distinct) {
      const taken = this.#supply(`taken${id}`, this.supplies.scratch(all));
      return `  const ${index} = distinctIndex(${taken}, i, () => ${draw});\n`;
    }
    if (not === null) return `  const ${index} = ${draw};\n`;
    const other = `x${not}`;
    if (!ranked) {
      const skipped = scaled('random.nextInt32()', count - 1);
      return `  let ${index} = ${skipped};\n  if (${index} >= ${other}) ${index} += 1;\n`;
    }
    // "Redraw until it is not rank 1" in one draw: at a high exponent nearly every redraw would be rank 1.
    const rest = this.#supply(`rest${id}`, this.supplies.ranks(generator.exponent, 2, count));
    return `  let ${index};\n  if (${other} === 0) ${index} = ${rest}.draw(random);\n  else do ${index} = ${draw}; while (${index} === ${other});\n`;
  }

  #identified(generator: Drawn, index: string): string {
    if (generator.kind !== 'zipf') return index;
    if (!generator.scramble || generator.table === null) return `(${index} >>> 0)`;
    const { table, count } = generator;
    const permutation = this.#supply(`order${table}_${count}`, this.supplies.permutation(table, count));
    return `(${permutation}.apply(${index}) >>> 0)`;
  }

  #typed(wide: boolean, { min, count }: Drawn, index: string): string {
    if (!wide) return min === 0n ? index : `${min} + ${index}`;
    if (count <= tabledMax)
      return `${this.#supply(`wide${min < 0n ? '_' : ''}${min < 0n ? -min : min}_${count}`, this.supplies.bigs(min, count))}[${index}]`;
    return `${min}n + BigInt(${index})`;
  }

  #latest({ table, rows, exponent }: Latest, index: string, { id }: FieldPlace): string {
    const count = this.#inserts(table);
    this.#head.set(`latest${id}`, `const latest${id} = new LatestRanks(${exponent}, ${rows});\n`);
    return `  const ${index} = latest${id}.draw(random, ${count}, sessions, session);\n`;
  }

  /** Numbers the session's operations. */
  #countOperations(): void {
    this.#head.set('sequence', 'let sequence = -1;\n');
  }

  /** The number of keys that this session has made for a table. */
  #inserts(table: number): string {
    this.#head.set(`inserts${table}`, `let inserts${table} = 0;\n`);
    return `inserts${table}`;
  }

  #supply(name: string, number: number): string {
    this.#head.set(name, `const ${name} = supplies.items[${number}];\n`);
    return name;
  }
}

interface FieldPlace {
  readonly target: string;
  readonly id: string;
  readonly place: string;
  readonly all: readonly ResolvedArgument[];
}

/**
 * All draws of an operation come first, in declared order; then their values are computed, which the processor
 * overlaps well.
 */
interface Code {
  readonly draw: string;
  readonly write: string;
}

function joined(codes: readonly Code[]): string {
  return [...codes.map(({ draw }) => draw), ...codes.map(({ write }) => write)].join('');
}

type Latest = Extract<ResolvedGenerator, { kind: 'latest' }>;
type Drawn = Extract<ResolvedGenerator, { kind: 'uniform' | 'zipf' | 'ycsb-zipf' }>;

/** Integers of ranges up to here come from a table, so that drawing allocates none. */
const tabledMax = 65_536;

/** An expression for ⌊word · count / 2³²⌋. */
function scaled(word: string, count: number): string {
  if (count === 2 ** 32) return `(${word} >>> 0)`;
  if (count > directCountMax) return `scale(${word}, ${count})`;
  return `Math.floor((${word} >>> 0) * ${count} / 4294967296)`;
}

/** The place of an argument's first text or bytes among those of the operation. */
function placeOf(all: readonly ResolvedArgument[], slot: number): number {
  return all.slice(0, slot).reduce((sum, argument) => sum + placesOf(argument), 0);
}

/** How many texts and bytes an argument has at most. */
export function placesOf(argument: ResolvedArgument): number {
  if (argument.kind === 'scalar') return isContent(argument) ? 1 : 0;
  return argument.max * argument.fields.filter(isContent).length;
}

function isContent({ generator }: ResolvedField): boolean {
  return generator.kind === 'content';
}
