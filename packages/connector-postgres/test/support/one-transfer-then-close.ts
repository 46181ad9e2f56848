// Makes one transfer at the endpoint given as JSON, prints what became of it, closes, and has nothing left to do.
import { z } from 'zod';
import { transferSessions } from '@fair-bench/conformance';
import { jsonObjectSchema } from '@fair-bench/contract';
import client from '../../src/clients/driver.ts';

const endpoint = z
  .object({ url: z.string(), options: jsonObjectSchema })
  .parse(JSON.parse(process.argv[2] ?? ''));
const session = await transferSessions(client)(endpoint, {
  index: 0,
  depth: 1,
  signal: AbortSignal.timeout(5_000),
});
const outcome = await session.execute({ source: 3, target: 4, amount: 1n });
await session.close();
process.stdout.write(`${outcome.kind}\n`);
