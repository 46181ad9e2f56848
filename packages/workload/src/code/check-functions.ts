import { messageOf } from '@fair-bench/contract';
import { drawerOf, smallWorkload } from '../cases.ts';
import type { Mistake } from '../checker.ts';
import type { ResolvedOperation, Workload } from '../resolved.ts';
import type { WorkloadDescription } from '../schema.ts';
import type { ModelRow } from '../store.ts';
import { CodeOperations } from './carry-out.ts';
import { NamedValues, placesOf } from './named.ts';
import { type Chain, type Program, programOf } from './program.ts';
import { SeededStore } from './seeded-store.ts';
import { ChainObjects, TouchLog, touchKinds } from './touches.ts';

/** Of each operation, so many are carried out. */
const turns = 20;

/**
 * The mistakes of a workload's functions that would make the audit accuse a system: those of its chains, and those that show when some
 * operations are carried out on few rows. None where the operations are not in code.
 */
export function mistakesInFunctions(description: WorkloadDescription): readonly Mistake[] {
  const program = programOf(description);
  if (program === null) return [];
  const chains = Object.entries(program.chains).flatMap(([name, chain]) => {
    const message = mistakeOfChain(description, chain);
    return message === null ? [] : [{ path: ['chains', name], message }];
  });
  return chains.length > 0 ? chains : mistakesWhenCarriedOut(description, program);
}

function mistakeOfChain(
  { tables }: WorkloadDescription,
  { table: name, counter = [], keeps = [] }: Chain,
): string | null {
  if (name === undefined)
    return counter.length === 0 ? null : `counts by ${counter.join(', ')} and names no \`table\``;
  if (counter.length === 0)
    return `names the table ${name} and no \`counter\`: the columns whose sum each write raises`;
  const table = tables.find((each) => each.name === name);
  if (table === undefined) return `no table "${name}"; one of ${tables.map((each) => each.name).join(', ')}`;
  const lack = [...counter, ...keeps].find((column) => !table.columns.some((each) => each.name === column));
  if (lack !== undefined) return `no column "${lack}" in ${name}`;
  const isNumber = (column: string): boolean =>
    table.columns.some((each) => each.name === column && each.type.kind === 'int64');
  const other = counter.find((column) => !isNumber(column));
  return other === undefined ? null : `counts by ${name}.${other}, which is no int64`;
}

function mistakesWhenCarriedOut(description: WorkloadDescription, program: Program): readonly Mistake[] {
  const workload = smallWorkload(description);
  const bench = new Bench(workload, program);
  return workload.operations.flatMap((operation) => {
    const message = bench.mistakeOf(operation);
    return message === null ? [] : [{ path: ['operations', operation.name], message }];
  });
}

/** Few rows, on which operations are carried out one after the other. */
class Bench {
  readonly #workload: Workload;
  readonly #operations: CodeOperations;
  readonly #store: SeededStore;
  readonly #touches: TouchLog;

  constructor(workload: Workload, program: Program) {
    this.#workload = workload;
    this.#operations = new CodeOperations(workload);
    this.#store = new SeededStore(workload);
    this.#touches = new TouchLog(new ChainObjects(program, this.#operations.tables, this.#store));
  }

  mistakeOf(operation: ResolvedOperation): string | null {
    const draw = drawerOf(this.#workload, operation);
    for (let turn = 0; turn < turns; turn += 1) {
      try {
        const message = this.#carryOut(operation, draw());
        if (message !== null) return message;
      } catch (error) {
        return messageOf(error);
      }
    }
    return null;
  }

  #carryOut(operation: ResolvedOperation, values: ReturnType<ReturnType<typeof drawerOf>>): string | null {
    const { code, argumentsOf } = this.#operations.at(operation.number);
    const done = this.#operations.carryOut(operation.number, values, this.#store, null);
    if (done.kind === 'declined') return null;
    const before = this.#touches.node.length;
    code.found?.(this.#touches.begin(0), argumentsOf(values), repliedRows(operation, done.rows));
    const { kind } = this.#touches;
    const places = Array.from({ length: kind.length - before }, (_, place) => kind.at(before + place));
    const isOrdered = places.some((at) => at === touchKinds.wrote || at === touchKinds.left);
    if (done.transaction.hasSet && !isOrdered)
      return 'sets columns, and `found` names no chain that it wrote: the audit could not tell which operation came first';
    done.transaction.commit();
    return null;
  }
}

/** A reply as its log has it: without texts. */
function repliedRows({ name, returns }: ResolvedOperation, rows: readonly ModelRow[]): NamedValues[] {
  const fields = 'fields' in returns ? returns.fields : [];
  const places = placesOf(fields);
  return rows.map((row) => {
    const values = row.map((value, field) => (fields[field]?.type.kind === 'text' ? undefined : value));
    return new NamedValues(`the reply of ${name}`, places, values);
  });
}
