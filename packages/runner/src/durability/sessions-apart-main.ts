import { type DataPlane, messageOf } from '@fair-bench/contract';
import { importClient } from '@fair-bench/load-client';
import { callSchema, type Request, type Result } from './sessions-apart-messages.ts';

const connectMsMax = 20_000;

/** Executes what another process sends, in sessions of its own; it ends with that process. */
const client = await importClient(process.argv[2] ?? '');
const sessions = new Map<number, DataPlane>();

process.on('message', (message) => {
  const { call, request } = callSchema.parse(message);
  void resultOf(request).then((result) => process.send?.({ call, result }));
});
process.on('disconnect', () => process.exit());

async function resultOf(request: Request): Promise<Result> {
  try {
    return await carriedOut(request);
  } catch (error) {
    return { kind: 'failed', reason: messageOf(error) };
  }
}

async function carriedOut(request: Request): Promise<Result> {
  if (request.kind === 'connect') {
    const { endpoint, context } = request;
    const signal = AbortSignal.timeout(connectMsMax);
    sessions.set(context.index, await client.connect(endpoint, { ...context, signal }));
    return { kind: 'done' };
  }
  const session = sessions.get(request.index);
  if (session === undefined) throw new Error(`there is no session ${request.index}`);
  if (request.kind === 'close') {
    await session.close();
    return { kind: 'done' };
  }
  const { operations } = request;
  const [first] = operations;
  if (operations.length === 1 && first !== undefined) {
    return { kind: 'outcomes', outcomes: [await session.execute(first.operation, first.values)] };
  }
  if (session.executeBatch === undefined) throw new Error('its sessions have no batches');
  return { kind: 'outcomes', outcomes: [...(await session.executeBatch(operations))] };
}
