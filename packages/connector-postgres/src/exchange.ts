import { type Client, type Connection, Query } from 'pg';
import { z } from 'zod';

const descriptionSchema = z.object({
  fields: z.array(z.object({ name: z.string(), dataTypeID: z.number() })),
});
export type Described = z.infer<typeof descriptionSchema>['fields'];

/**
 * Sends protocol messages that end with a Sync; resolves with the columns that the server describes (none unless
 * requested, or without rows). Rejects when the server refuses one.
 */
export async function exchange(client: Client, messages: Buffer): Promise<Described> {
  return await new Promise((resolve, reject) => {
    client.query(new MessagesQuery(messages, resolve, reject));
  });
}

class MessagesQuery extends Query {
  readonly #messages: Buffer;
  readonly #resolve: (fields: Described) => void;
  readonly #reject: (error: unknown) => void;
  #fields: Described = [];

  constructor(messages: Buffer, resolve: (fields: Described) => void, reject: (error: unknown) => void) {
    super('');
    this.#messages = messages;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  override submit = (connection: Connection): void => {
    connection.stream.write(this.#messages);
  };

  handleRowDescription(description: unknown): void {
    this.#fields = descriptionSchema.parse(description).fields;
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#fields);
  }

  handleError(error: unknown): void {
    this.#reject(error);
  }
}
