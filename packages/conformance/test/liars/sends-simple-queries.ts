import { Client } from 'pg';
import { applied } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

/** Sends each read as a simple query, whatever its target says of the protocol: every reply is right. */
export default defineLiar({
  tell(inner, { tables }, url) {
    const client = new Client({ connectionString: url, pipeline: true });
    const connected = client.connect();
    return {
      async execute(_operation, [id]) {
        await connected;
        const text = `SELECT * FROM fair_bench.${tables[0]?.name} WHERE id = ${Number(id)}`;
        const { rows } = await client.query<[string, string]>({ text, rowMode: 'array' });
        return {
          ...applied,
          reply: { kind: 'rows', rows: rows.map(([key, value]) => [Number(key), value]) },
        };
      },
      async close() {
        await inner.close();
        await client.end();
      },
    };
  },
});
