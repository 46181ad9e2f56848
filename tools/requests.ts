import { codecsOf } from '@fair-bench/rpc';
import { defaultWorkload, loadWorkload } from '@fair-bench/runner';
import {
  createSlots,
  createStream,
  defaultParameters,
  resolveWorkload,
  shapeOf,
  type Workload,
} from '@fair-bench/workload';

/** The operation's path and the body of its request. */
export type RpcRequest = readonly [path: string, body: string];

/** The same operations as our load client's, drawn from its streams: the sessions' first, then their second, and so on. */
export function drawRequests(workload: Workload, sessions: number, count: number): RpcRequest[] {
  const codecs = codecsOf(shapeOf(workload));
  const slots = createSlots(workload);
  const streams = Array.from({ length: sessions }, (_, session) =>
    createStream(workload, { session, sessions }),
  );
  return Array.from({ length: count }, (_, place): RpcRequest => {
    const operation = streams[place % sessions]?.next(slots) ?? 0;
    const codec = codecs[operation];
    return [codec?.path ?? '', codec?.encode(slots[operation] ?? []) ?? ''];
  });
}

/** One operation of the default workload, for clients that send the same again and again. */
export async function oneRequest(root: string): Promise<RpcRequest> {
  const { description } = await loadWorkload(root, defaultWorkload);
  const workload = resolveWorkload(description, defaultParameters(description));
  const [request] = drawRequests(workload, 1, 1);
  if (request === undefined) throw new Error(`${workload.name} has no operation`);
  return request;
}
