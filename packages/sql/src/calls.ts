import {
  type Fault,
  inDoubt,
  type OperationOutcome,
  refused,
  type Values,
  type WorkloadShape,
  messageOf,
} from '@fair-bench/contract';
import { parametersOf, statementOf, type Statements, typesOf } from './binding.ts';
import type { CellRow, Dialect, Parameter } from './dialect.ts';
import { rowReader } from './replies.ts';

/** A workload's operations on one connection. */
export interface Calls {
  /** Sends one operation at once, in its own transaction. Never rejects. */
  execute(operation: number, values: Values): Promise<OperationOutcome>;
  /** Operations without a reply yet. */
  outstanding(): number;
  /** Whether an operation noticed a lost connection. The server's last message comes before the socket's end. */
  lost(): boolean;
}

/** A statement with a name that a driver may prepare it under. */
interface NamedStatement {
  readonly name: string;
  readonly text: string;
  /** Its operation's number. */
  readonly operation: number;
}

export interface StatementCalls {
  readonly workload: WorkloadShape;
  readonly statements: Statements;
  readonly dialect: Dialect;
  /** Runs a statement by the driver, prepared where it can. Rejects with the driver's error. */
  readonly run: (statement: NamedStatement, parameters: Parameter[]) => Promise<readonly CellRow[]>;
  readonly faultOf: (error: unknown) => Fault;
}

/** The operations as one statement each, as an application would run them by its driver. */
export function statementCalls({ workload, statements, dialect, run, faultOf }: StatementCalls): Calls {
  const operations = workload.operations.map((operation, number) => ({
    statement: {
      operation: number,
      name: `fair_bench_${operation.name}`,
      text: statementOf(operation, statements, dialect),
    },
    count: operation.arguments.flatMap((argument) => typesOf(argument, dialect)).length,
    parametersOf: parametersOf(operation, dialect),
    read: rowReader(workload, operation),
  }));
  let outstanding = 0;
  let lost = false;
  return {
    async execute(number, values): Promise<OperationOutcome> {
      const operation = operations[number];
      let parameters: Parameter[];
      try {
        parameters = operation?.parametersOf(values) ?? [];
      } catch (error) {
        return refused('invalid-request', messageOf(error));
      }
      if (operation?.count !== parameters.length) {
        return refused('invalid-request', `operation ${number} takes other arguments, or does not exist`);
      }
      outstanding += 1;
      let rows: readonly CellRow[];
      try {
        rows = await run(operation.statement, parameters);
      } catch (error) {
        // A driver does not report whether it had sent it: after a lost connection it is in doubt.
        const fault = faultOf(error);
        if (fault.code === 'connection-lost') lost = true;
        return fault;
      } finally {
        outstanding -= 1;
      }
      try {
        return operation.read(rows);
      } catch (error) {
        return inDoubt('protocol-error', messageOf(error));
      }
    },
    outstanding: () => outstanding,
    lost: () => lost,
  };
}
