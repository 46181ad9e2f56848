import { type Client, type Connection, Query } from 'pg';
import {
  type Fault,
  inDoubt,
  messageOf,
  type OperationOutcome,
  refused,
  type Values,
} from '@fair-bench/contract';
import { type Calls, type CellRow, rowReader } from '@fair-bench/sql';
import { batchShape } from './batch.ts';
import { batchCalls } from './batch-calls.ts';
import type { Batches, Prepared } from './calls.ts';
import { faultOfError } from './error-outcome.ts';
import { exchange } from './exchange.ts';
import { type CallWriter, callWriter, parseMessages } from './messages.ts';

/**
 * The operations on a connected client; where they are prepared, rejects when the server refuses one. For each call
 * node-postgres' own query costs an emitter, a Describe with its row description, a result object and four serialized
 * messages; here a call is one buffer that is created once and filled each time.
 */
export async function tunedCalls(client: Client, prepared: Prepared): Promise<Calls & Partial<Batches>> {
  const { workload, statements, protocol, batches } = prepared;
  const batch = batchShape(workload);
  const called = batches ? [...workload.operations, batch] : workload.operations;
  if (protocol === 'prepared') await exchange(client, parseMessages(called, statements));
  const operations = workload.operations.map((operation) => ({
    operation,
    read: rowReader(workload, operation),
    idle: new Array<CallQuery<OperationOutcome>>(),
  }));
  const idleBatches = new Array<CallQuery<readonly CellRow[] | Fault>>();
  let outstanding = 0;
  let lost = false;
  const ended = (outcome: OperationOutcome | readonly CellRow[]): void => {
    if ('kind' in outcome && outcome.kind === 'fault' && outcome.code === 'connection-lost') lost = true;
    outstanding -= 1;
  };
  const executeBatch = batchCalls(workload, (values) => {
    const query =
      idleBatches.pop() ??
      new CallQuery<readonly CellRow[] | Fault>(callWriter(batch, prepared), cloned, (done, answer) => {
        ended(answer);
        idleBatches.push(done);
      });
    outstanding += 1;
    return query.send(client, values);
  });
  return {
    execute(number, values) {
      const found = operations[number];
      if (found === undefined) {
        return Promise.resolve(refused('invalid-request', `the workload has no operation ${number}`));
      }
      const { operation, read, idle } = found;
      const query =
        idle.pop() ??
        new CallQuery(callWriter(operation, prepared), read, (done, outcome) => {
          ended(outcome);
          idle.push(done);
        });
      outstanding += 1;
      return query.send(client, values);
    },
    ...(batches ? { executeBatch } : {}),
    outstanding: () => outstanding,
    lost: () => lost,
  };
}

function cloned(rows: readonly CellRow[]): readonly CellRow[] {
  return [...rows];
}

/**
 * One call in progress, reused for the next. It extends node-postgres' query because its pipeline accepts nothing
 * else; it only uses the handlers below, which the client calls as replies arrive.
 */
class CallQuery<Result> extends Query {
  readonly #writer: CallWriter;
  readonly #read: (rows: readonly CellRow[]) => Result;
  readonly #release: (query: CallQuery<Result>, outcome: Result | Fault) => void;
  #message: Buffer | null = null;
  #settle: (outcome: Result | Fault) => void = ignore;
  #rows: CellRow[] = [];
  #sent = false;

  constructor(
    writer: CallWriter,
    read: (rows: readonly CellRow[]) => Result,
    release: (query: CallQuery<Result>, outcome: Result | Fault) => void,
  ) {
    super('');
    this.#writer = writer;
    this.#read = read;
    this.#release = release;
  }

  send(client: Client, values: Values): Promise<Result | Fault> {
    this.#rows.length = 0;
    this.#sent = false;
    return new Promise((resolve) => {
      this.#settle = resolve;
      try {
        this.#message = this.#writer.write(values);
      } catch (error) {
        this.#end(refused('invalid-request', messageOf(error)));
        return;
      }
      client.query(this);
    });
  }

  override submit = (connection: Connection): void => {
    this.#sent = true;
    if (this.#message !== null) connection.stream.write(this.#message);
  };

  /** Sent before the rows of a simple query. */
  handleRowDescription(): void {
    // The workload says which columns there are.
  }

  handleDataRow(row: { readonly fields: CellRow }): void {
    this.#rows.push(row.fields);
  }

  /** Not yet an acknowledgement: the transaction commits at the Sync, which ReadyForQuery answers. */
  handleCommandComplete(): void {
    // Nothing to record: the rows have the outcome.
  }

  handleReadyForQuery(): void {
    this.#end(outcomeOf(this.#read, this.#rows));
  }

  handleError(error: unknown): void {
    this.#end(this.#sent ? faultOfError(error) : refused('connection-refused', messageOf(error)));
  }

  #end(outcome: Result | Fault): void {
    const settle = this.#settle;
    this.#settle = ignore;
    this.#release(this, outcome);
    settle(outcome);
  }
}

function outcomeOf<Result>(
  read: (rows: readonly CellRow[]) => Result,
  rows: readonly CellRow[],
): Result | Fault {
  try {
    return read(rows);
  } catch (error) {
    return inDoubt('protocol-error', messageOf(error));
  }
}

function ignore(): void {
  // An abandoned call needs no answer.
}
