import { type Client, type Connection, Query } from 'pg';
import { type Outcome, type Transfer, amountMax, amountMin, refused } from '@fair-bench/contract';
import { faultOfError } from './error-outcome.ts';
import { reasonOf } from '@fair-bench/session';
import { bindAmountAt, bindSourceAt, bindTargetAt, callMessage, parseMessage } from './transfer-messages.ts';
import { outcomeOfCode } from './transfer-function.ts';

/** The prepared transfer on one connection. */
export interface TransferCall {
  /**
   * Sends one transfer at once, in one write, as a transaction of its own. Never rejects. Any number may be
   * outstanding on a client with `pipeline`; without it node-postgres holds back all but the first.
   */
  execute(transfer: Transfer): Promise<Outcome>;
  /** Transfers without a reply yet. */
  outstanding(): number;
  /** Whether a transfer found the connection lost. The server's last words come before the socket's end. */
  lost(): boolean;
}

const amountOutOfRange = refused('invalid-request', 'the amount does not fit into 64 bits');

/**
 * Prepares the transfer on a connected client. Rejects when the function is not there.
 *
 * node-postgres' own query costs an emitter, a Describe with its row description, a result object and four
 * messages serialized for each call; here a call is one buffer that is made once and filled in.
 */
export async function createTransferCall(client: Client): Promise<TransferCall> {
  await new Promise<void>((resolve, reject) => {
    client.query(new PrepareQuery(resolve, reject));
  });
  const idle: TransferQuery[] = [];
  let made = 0;
  let lost = false;
  const release = (query: TransferQuery, outcome: Outcome): void => {
    if (outcome.kind === 'fault' && outcome.code === 'connection-lost') lost = true;
    idle.push(query);
  };
  return {
    execute(transfer) {
      if (transfer.amount > amountMax || transfer.amount < amountMin)
        return Promise.resolve(amountOutOfRange);
      let query = idle.pop();
      if (query === undefined) {
        query = new TransferQuery(release);
        made += 1;
      }
      return query.send(client, transfer);
    },
    outstanding: () => made - idle.length,
    lost: () => lost,
  };
}

/**
 * One call under way, used again for the next. It extends node-postgres' query because its pipeline takes
 * nothing else; of that it uses only the handlers below, which the client calls as replies arrive.
 */
class TransferQuery extends Query {
  readonly #message = callMessage();
  readonly #release: (query: TransferQuery, outcome: Outcome) => void;
  #settle: (outcome: Outcome) => void = ignore;
  #code: string | null = null;
  #sent = false;

  constructor(release: (query: TransferQuery, outcome: Outcome) => void) {
    super('');
    this.#release = release;
  }

  send(client: Client, { source, target, amount }: Transfer): Promise<Outcome> {
    this.#message.writeUInt32BE(source, bindSourceAt + 4);
    this.#message.writeUInt32BE(target, bindTargetAt + 4);
    this.#message.writeBigInt64BE(amount, bindAmountAt);
    this.#code = null;
    this.#sent = false;
    return new Promise((resolve) => {
      this.#settle = resolve;
      client.query(this);
    });
  }

  override submit = (connection: Connection): void => {
    this.#sent = true;
    connection.stream.write(this.#message);
  };

  handleDataRow(row: { readonly fields: readonly (string | null)[] }): void {
    this.#code = row.fields[0] ?? null;
  }

  /** Not yet an acknowledgement: the transaction commits at the Sync, and ReadyForQuery is the answer to that. */
  handleCommandComplete(): void {
    // Nothing to note: the row has the outcome.
  }

  handleReadyForQuery(): void {
    this.#end(outcomeOfCode(this.#code));
  }

  handleError(error: unknown): void {
    this.#end(this.#sent ? faultOfError(error) : refused('connection-refused', reasonOf(error)));
  }

  #end(outcome: Outcome): void {
    const settle = this.#settle;
    this.#settle = ignore;
    this.#release(this, outcome);
    settle(outcome);
  }
}

/** Parses the prepared statement, and waits for the answer. */
class PrepareQuery extends Query {
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;

  constructor(resolve: () => void, reject: (error: unknown) => void) {
    super('');
    this.#resolve = resolve;
    this.#reject = reject;
  }

  override submit = (connection: Connection): void => {
    connection.stream.write(parseMessage());
  };

  handleReadyForQuery(): void {
    this.#resolve();
  }

  handleError(error: unknown): void {
    this.#reject(error);
  }
}

function ignore(): void {
  // A call that nobody waits for has nobody to tell.
}
