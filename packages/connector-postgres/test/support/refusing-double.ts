import { startPostgresProxy } from '@fair-bench/conformance/test-support';

/** A statement that a service has not, and the SQLSTATE by which it says so. */
export interface Refusal {
  readonly statement: RegExp;
  readonly code: string;
}

/** A statement that a service answers in its own way, and one that has the same answer. */
interface OtherAnswer {
  readonly statement: RegExp;
  readonly sql: string;
}

/** CockroachDB 25.2 says that it is PostgreSQL 13: its variables server_version and server_version_num, and version(). */
export const cockroach25: OtherAnswer = {
  statement: /current_setting\('server_version_num'\)/,
  sql: "SELECT '13.0.0' AS version, '130000' AS number, 'CockroachDB CCL v25.2.1 (x86_64-pc-linux-gnu)' AS product",
};

/**
 * As services that speak the protocol say it: a feature that is not supported (0A000), no syntax of it (42601), or not in this state
 * (55000: YugabyteDB of FREEZE, by the notes of its release 2.25.1.0-b68).
 */
export const refusals = {
  freeze: { statement: /^COPY .*FREEZE/is, code: '0A000' },
  freezeLater: { statement: /^COPY .*FREEZE/is, code: '55000' },
  vacuum: { statement: /^VACUUM/i, code: '42601' },
  indexes: { statement: /^(DROP INDEX|ALTER TABLE .* DROP CONSTRAINT)/is, code: '0A000' },
} as const satisfies Record<string, Refusal>;

/**
 * A double of a service that speaks PostgreSQL's protocol and has some statements not: a real PostgreSQL, which raises the service's
 * error in their place. Only simple queries are looked at, without TLS.
 */
export async function startRefusingDouble(
  url: string,
  refused: readonly (Refusal | OtherAnswer)[],
): ReturnType<typeof startPostgresProxy> {
  return await startPostgresProxy(url, (client, database) => {
    let pending: Buffer = Buffer.alloc(0);
    let hasStarted = false;
    client.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (;;) {
        // The first message has no type.
        const typed = hasStarted ? 1 : 0;
        if (pending.length < typed + 4) return;
        const length = typed + pending.readInt32BE(typed);
        if (pending.length < length) return;
        const message = pending.subarray(0, length);
        pending = pending.subarray(length);
        database.write(hasStarted ? instead(message, refused) : message);
        hasStarted = true;
      }
    });
    database.pipe(client);
    client.on('close', () => database.destroy());
  });
}

function instead(message: Buffer, refused: readonly (Refusal | OtherAnswer)[]): Buffer {
  if (message.toString('latin1', 0, 1) !== 'Q') return message;
  const text = message.toString('utf8', 5, message.length - 1);
  const found = refused.find(({ statement }) => text.split(';').some((one) => statement.test(one.trim())));
  if (found === undefined) return message;
  const body = Buffer.from(`${'sql' in found ? found.sql : raising(found.code)}\0`);
  const head = Buffer.alloc(5);
  head.write('Q');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function raising(code: string): string {
  return `DO $$ BEGIN RAISE EXCEPTION 'not supported here' USING ERRCODE = '${code}'; END $$`;
}
