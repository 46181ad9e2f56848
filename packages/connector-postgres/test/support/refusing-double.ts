import { startPostgresProxy } from '@fair-bench/conformance/test-support';

/** A statement that a service has not, and the SQLSTATE by which it says so. */
export interface Refusal {
  readonly statement: RegExp;
  readonly code: string;
}

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
  refused: readonly Refusal[],
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

function instead(message: Buffer, refused: readonly Refusal[]): Buffer {
  if (message.toString('latin1', 0, 1) !== 'Q') return message;
  const text = message.toString('utf8', 5, message.length - 1);
  const found = refused.find(({ statement }) => text.split(';').some((one) => statement.test(one.trim())));
  if (found === undefined) return message;
  const raised = `DO $$ BEGIN RAISE EXCEPTION 'not supported here' USING ERRCODE = '${found.code}'; END $$`;
  const body = Buffer.from(`${raised}\0`);
  const head = Buffer.alloc(5);
  head.write('Q');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
