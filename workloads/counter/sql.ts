import { bindSql, named } from '@fair-bench/sql/embedded/binding';
import workload from './workload.ts';

interface Message {
  readonly id: bigint;
  readonly sender: number;
  readonly channel: number;
  readonly body: string;
}

const counterOf = 'SELECT id, value FROM counter WHERE id = $1';
const newest = 'SELECT id, sender, channel, body FROM message ORDER BY id DESC LIMIT $1';

/** Every operation is one prepared statement, which is its own transaction. */
export default bindSql(workload, ({ query }) => ({
  async increment({ counter }: { readonly counter: number }) {
    await query('UPDATE counter SET value = value + 1 WHERE id = $1', [counter]);
    return null;
  },
  async message({ id, sender, channel, body }: Message) {
    await query('INSERT INTO message VALUES ($1, $2, $3, $4)', [id, sender, channel, body]);
    return null;
  },
  counter: async ({ counter }: { readonly counter: number }) => ({
    rows: named(await query(counterOf, [counter]), 'id', 'value'),
  }),
  messages: async ({ limit }: { readonly limit: number }) => ({
    rows: named(await query(newest, [limit]), 'id', 'sender', 'channel', 'body'),
  }),
}));
