import { Client } from 'pg';

/** Runs statements over a connection of their own to a PostgreSQL server. */
export async function runSql(connectionString: string, statements: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
