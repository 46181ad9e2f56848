// One transfer at the endpoint given as JSON, then close: this process ends by itself if no handle is left.
import { z } from 'zod';
import { jsonObjectSchema } from '@fair-bench/contract';
import { importTransferClient } from '../client-module.ts';

const [modulePath = '', endpointJson = ''] = process.argv.slice(2);
const endpoint = z.object({ url: z.string(), options: jsonObjectSchema }).parse(JSON.parse(endpointJson));
const connect = await importTransferClient(modulePath);
const session = await connect(endpoint, { index: 0, depth: 1, signal: AbortSignal.timeout(5_000) });
const { kind } = await session.execute({ source: 0, target: 1, amount: 1n });
await session.close();
process.stdout.write(`${kind}, closed; left: ${process.getActiveResourcesInfo().join(', ')}\n`);
