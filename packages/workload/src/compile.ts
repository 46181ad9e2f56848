import type { ListValue, ScalarValue, Value } from '@fair-bench/contract';
import { operationOrigin } from './draw/content.ts';
import { foldItem, scale } from './draw/scale.ts';
import { purposes, seedWords } from './draw/splitmix64.ts';
import { Xoshiro128 } from './draw/xoshiro128.ts';
import { printProgram } from './print-program.ts';
import { programOf } from './stream-program.ts';
import { distinctIndex, LatestRanks } from './supplies.ts';
import type { PlannedWorkload, ResolvedArgument, ResolvedField } from './resolved.ts';
import type { Slots, WorkloadStream } from './stream.ts';

interface StreamPlace {
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
  const program = programOf(workload);
  // oxlint-disable-next-line typescript/no-implied-eval -- The source is made here from a workload that a schema has checked; no name or text of it goes in.
  const factory = new Function('tools', 'supplies', 'random', 'session', 'sessions', printProgram(program));
  const tools = { scale, foldItem, distinctIndex, operationOrigin, LatestRanks };
  const compiled: Compiled = (random, session, sessions) => {
    const next: unknown = factory(tools, program.supplies, random, session, sessions);
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
  if (generator.kind === 'replied') return generator.initial;
  if (type.kind === 'int64') return 0n;
  if (type.kind === 'text') return '';
  if (type.kind === 'bytes') return new Uint8Array(type.length);
  return type.kind === 'bool' ? false : 0;
}
