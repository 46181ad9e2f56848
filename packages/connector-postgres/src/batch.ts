import {
  type BatchedOperation,
  type ListValue,
  type OperationOutcome,
  type OperationShape,
  type ScalarValue,
  type Values,
  type WorkloadShape,
  ourSchema,
} from '@fair-bench/contract';
import {
  type CellRow,
  type Parameter,
  parametersOf,
  rowReader,
  statementOf,
  type Statements,
  typesOf,
} from '@fair-bench/sql';
import { arrayText, withParameters } from './simple-texts.ts';
import { dialect, sqlTypeOf } from './statements.ts';

/*
 * A batch is one call of a function that is made from the operations' own statements. It carries them out in their order, in
 * the one transaction of the call. Its parameters are arrays: the operations by their numbers, and for each operation and
 * each of its parameters the values of all of its calls; a parameter that is an array itself is the text of one. It returns
 * the rows of each operation as text, behind them the operation's place in the batch; one that returned null has none.
 */

/** No operation has such a name. */
const name = '_batch';

/** The call of a batch as an operation: each list is one array. */
export function batchShape({ operations }: WorkloadShape): OperationShape {
  const column = (kind: 'int64' | 'bool' | 'key') => ({ name: 'value', type: { kind } });
  const content = (kind: 'text' | 'bytes') => ({ name: 'value', type: { kind, length: 0 } });
  const array = (kind: ScalarKind) => ({
    kind: 'list' as const,
    name: 'values',
    max: 0,
    fields: [kind === 'text' || kind === 'bytes' ? content(kind) : column(kind)],
  });
  const columns = operations.flatMap((operation) => parameterTypes(operation));
  return {
    name,
    arguments: [array('int64'), ...columns.map(({ kind, isArray }) => array(isArray ? 'text' : kind))],
    reasons: [],
    returns: { kind: 'rows', table: 0 },
    writes: true,
  };
}

type ScalarKind = ReturnType<typeof typesOf>[number]['kind'];

function parameterTypes({ arguments: all }: OperationShape) {
  return all.flatMap((argument) => typesOf(argument, dialect));
}

/**
 * The function. `columns` says how many each operation's statement returns.
 * Names begin with an underscore: no name of a workload does.
 */
export function batchFunction(
  { operations }: WorkloadShape,
  statements: Statements,
  columns: readonly number[],
): string {
  const shape = batchShape({ operations, name, tables: [] });
  const widest = Math.max(1, ...columns);
  const parameters = parameterTypes(shape).map((type, place) => `_p${place} ${sqlTypeOf(type)}`);
  const cells = Array.from({ length: widest }, (_, place) => `_c${place} text`);
  let first = 1;
  const cases = operations.map((operation, number) => {
    const begin = first;
    first += parameterTypes(operation).length;
    return `WHEN ${number} THEN\n_n${number} := _n${number} + 1;\n${carriedOut(operation, { number, begin, statements, columns })}`;
  });
  const counters = operations.map((_, number) => `_n${number} int := 0;`);
  return `CREATE FUNCTION ${ourSchema()}.${name}(${parameters.join(', ')})
RETURNS TABLE (${cells.join(', ')}, _place bigint) LANGUAGE plpgsql AS $fair_bench_batch$
#variable_conflict use_column
DECLARE ${counters.join(' ')}
BEGIN
FOR _i IN 1 .. cardinality(_p0) LOOP
_place := _i - 1;
CASE _p0[_i]
${cases.join('\n')}
END CASE;
END LOOP;
END
$fair_bench_batch$`;
}

interface Place {
  readonly number: number;
  /** Of the operation's first parameter. */
  readonly begin: number;
  readonly statements: Statements;
  readonly columns: readonly number[];
}

/** One call of an operation, in PL/pgSQL. */
function carriedOut(operation: OperationShape, { number, begin, statements, columns }: Place): string {
  const types = parameterTypes(operation);
  const own = withParameters(statementOf(operation, statements, dialect), (place) => {
    const type = types[place];
    if (type === undefined) return null;
    const value = `_p${begin + place}[_n${number}]`;
    return type.isArray ? `${value}::${sqlTypeOf(type)}` : value;
  });
  const count = columns[number] ?? 0;
  if (count === 0) return `${own};`;
  const cells = Array.from({ length: count }, (_, place) => `_c${place}`);
  if (operation.returns.kind === 'nothing') {
    return `FOR _c0 IN ${own} LOOP IF _c0 IS NOT NULL THEN RETURN NEXT; END IF; END LOOP;`;
  }
  return `FOR ${cells.join(', ')} IN ${own} LOOP RETURN NEXT; END LOOP;`;
}

/** The arguments of a batch's call, and the meaning of its rows. */
interface BatchCodec {
  valuesOf(operations: readonly BatchedOperation[]): Values;
  outcomesOf(operations: readonly BatchedOperation[], rows: readonly CellRow[]): readonly OperationOutcome[];
}

export function batchCodec(workload: WorkloadShape): BatchCodec {
  const writers: { readonly of: (values: Values) => Parameter[]; readonly begin: number }[] = [];
  let count = 1;
  for (const operation of workload.operations) {
    writers.push({ of: parametersOf(operation, dialect), begin: count });
    count += parameterTypes(operation).length;
  }
  const readers = workload.operations.map((operation) => rowReader(workload, operation));
  return {
    valuesOf(operations) {
      const arrays = Array.from({ length: count }, (): ScalarValue[] => []);
      for (const { operation, values } of operations) {
        arrays[0]?.push(BigInt(operation));
        const writer = writers[operation];
        if (writer === undefined) throw new RangeError(`the workload has no operation ${operation}`);
        for (const [place, parameter] of writer.of(values).entries()) {
          arrays[writer.begin + place]?.push(isList(parameter) ? arrayText(parameter) : parameter);
        }
      }
      return arrays.map((values): ListValue => ({ length: values.length, fields: [values] }));
    },
    outcomesOf(operations, rows) {
      const byPlace: CellRow[][] = [];
      for (const row of rows) (byPlace[Number(row.at(-1))] ??= []).push(row);
      return operations.map(({ operation }, place) => {
        const read = readers[operation];
        if (read === undefined) throw new RangeError(`the workload has no operation ${operation}`);
        return read(byPlace[place] ?? []);
      });
    },
  };
}

function isList(parameter: Parameter): parameter is readonly ScalarValue[] {
  return typeof parameter === 'object' && !(parameter instanceof Uint8Array);
}
