import { type Client, type Connection, Query } from 'pg';
import {
  inDoubt,
  type OperationOutcome,
  type OperationShape,
  refused,
  type Values,
  messageOf,
} from '@fair-bench/contract';
import { type Calls, type CellRow, type ReadRows, rowReader } from '@fair-bench/sql';
import type { Prepared } from './calls.ts';
import { faultOfError } from './error-outcome.ts';
import { exchange } from './exchange.ts';
import { type CallWriter, callWriter, parseMessages } from './messages.ts';

/**
 * Prepares every operation on a connected client. Rejects when the server refuses one. For each call node-postgres'
 * own query costs an emitter, a Describe with its row description, a result object and four serialized messages; here
 * a call is one buffer that is created once and filled each time.
 */
export async function tunedCalls(client: Client, { workload, statements }: Prepared): Promise<Calls> {
  await exchange(client, parseMessages(workload.operations, statements));
  const operations = workload.operations.map((operation) => ({
    operation,
    read: rowReader(workload, operation),
    idle: new Array<CallQuery>(),
  }));
  let outstanding = 0;
  let lost = false;
  return {
    execute(number, values) {
      const prepared = operations[number];
      if (prepared === undefined) {
        return Promise.resolve(refused('invalid-request', `the workload has no operation ${number}`));
      }
      const { operation, read, idle } = prepared;
      const query =
        idle.pop() ??
        new CallQuery(operation, read, (done, outcome) => {
          if (outcome.kind === 'fault' && outcome.code === 'connection-lost') lost = true;
          outstanding -= 1;
          idle.push(done);
        });
      outstanding += 1;
      return query.send(client, values);
    },
    outstanding: () => outstanding,
    lost: () => lost,
  };
}

/**
 * One call in progress, reused for the next. It extends node-postgres' query because its pipeline accepts nothing
 * else; it only uses the handlers below, which the client calls as replies arrive.
 */
class CallQuery extends Query {
  readonly #writer: CallWriter;
  readonly #read: ReadRows;
  readonly #release: (query: CallQuery, outcome: OperationOutcome) => void;
  #message: Buffer | null = null;
  #settle: (outcome: OperationOutcome) => void = ignore;
  #rows: CellRow[] = [];
  #sent = false;

  constructor(
    operation: OperationShape,
    read: ReadRows,
    release: (query: CallQuery, outcome: OperationOutcome) => void,
  ) {
    super('');
    this.#writer = callWriter(operation);
    this.#read = read;
    this.#release = release;
  }

  send(client: Client, values: Values): Promise<OperationOutcome> {
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

  #end(outcome: OperationOutcome): void {
    const settle = this.#settle;
    this.#settle = ignore;
    this.#release(this, outcome);
    settle(outcome);
  }
}

function outcomeOf(read: ReadRows, rows: readonly CellRow[]): OperationOutcome {
  try {
    return read(rows);
  } catch (error) {
    return inDoubt('protocol-error', messageOf(error));
  }
}

function ignore(): void {
  // An abandoned call needs no answer.
}
