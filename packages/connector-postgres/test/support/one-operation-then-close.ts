import { jsonObjectSchema } from '@fair-bench/contract';
import { z } from 'zod';
import client from '../../src/clients/driver.ts';
import { boxes, operations } from './boxes/workload.ts';

const endpoint = z
  .object({ url: z.string(), options: jsonObjectSchema })
  .parse(JSON.parse(process.argv[2] ?? ''));
const session = await client.connect(endpoint, {
  index: 0,
  depth: 1,
  signal: AbortSignal.timeout(5_000),
  workload: boxes.shape,
});
const outcome = await session.execute(operations.move, [3, 4, 1n]);
await session.close();
process.stdout.write(`${outcome.kind}\n`);
