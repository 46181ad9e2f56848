// One operation at the endpoint given as JSON, then close: this process ends by itself if no handle is left.
import { z } from 'zod';
import { jsonObjectSchema } from '@fair-bench/contract';
import { parseDescription, resolveWorkload, shapeOf } from '@fair-bench/workload';
import { importClient } from '@fair-bench/load-client';
import { writerOf } from './cases.ts';

const [modulePath = '', endpointJson = '', planJson = ''] = process.argv.slice(2);
const endpoint = z.object({ url: z.string(), options: jsonObjectSchema }).parse(JSON.parse(endpointJson));
const plan = z.object({ description: z.unknown(), parameters: jsonObjectSchema }).parse(JSON.parse(planJson));
const workload = resolveWorkload(parseDescription(plan.description, 'description'), plan.parameters);
const client = await importClient(modulePath);
const context = { index: 0, depth: 1, signal: AbortSignal.timeout(5_000), workload: shapeOf(workload) };
const session = await client.connect(endpoint, context);
for (const { operation, values } of writerOf(workload).applied(1)) {
  const { kind } = await session.execute(operation, values);
  process.stdout.write(`${kind}, `);
}
await session.close();
process.stdout.write(`closed; left: ${process.getActiveResourcesInfo().join(', ')}\n`);
