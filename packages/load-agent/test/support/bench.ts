import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { targetWorkload, workloadNamed } from '@fair-bench/conformance';
import nullConnector from '@fair-bench/connector-null';
import { routeOf } from '@fair-bench/contract';
import { loadClientArguments } from '@fair-bench/load-client';
import { protocolVersion, type TrialPlan, type TrialResult } from '@fair-bench/results';
import { LoadAgents, type LoadAgentsSetting, onThisMachine } from '@fair-bench/runner';
import { startLoneTarget } from '@fair-bench/supervisor';
import { defaultParameters } from '@fair-bench/workload';
import transfer from '@fair-bench/workloads/transfer';

export const root = fileURLToPath(new URL('../../../..', import.meta.url));
const clientModule = pathToFileURL(join(root, 'packages/connector-null/src/client.ts')).href;

/** The null RPC server, which answers each operation after 2 ms, and trials on it by agents or by this machine. */
export async function startBench() {
  const workload = targetWorkload(await workloadNamed('transfer'));
  const target = await startLoneTarget(routeOf(nullConnector, 'http'), { workload, extra: { delayMs: '2' } });
  const folder = await mkdtemp(join(tmpdir(), 'load-agents-'));
  const wire = await startWire(target.deployment.endpoint.url);
  let trials = 0;
  const plan = (change: Partial<TrialPlan> = {}): TrialPlan => ({
    protocol: protocolVersion,
    trialId: 'trial',
    client: { kind: 'node', module: clientModule },
    endpoint: { ...target.deployment.endpoint, url: wire.url },
    workload: {
      description: { ...transfer },
      parameters: { ...defaultParameters(transfer), accounts: 1000 },
    },
    sessions: 5,
    share: null,
    canaries: null,
    depth: 2,
    threads: 1,
    loop: { kind: 'closed' },
    timing: {
      warmupMs: 300,
      warmupMsMax: 600,
      windowMs: 1000,
      drainMs: 5000,
      connectMs: 10_000,
      operationMs: 5000,
    },
    logPath: join(folder, `log-${(trials += 1)}`),
    ...change,
  });
  return {
    plan,
    open: async (setting: LoadAgentsSetting): Promise<LoadAgents> => {
      const agents = await LoadAgents.open(setting, 'test.run', root);
      if (agents === null) throw new Error('no agents were opened');
      return agents;
    },
    here: async (trial: TrialPlan): Promise<TrialResult> =>
      await onThisMachine({ command: process.execPath, arguments: loadClientArguments })(
        trial,
        () => {},
        never,
      ),
    /** The first operations of each session since this was last called, as they came over the wire. */
    streams: () => wire.take(),
    close: async () => {
      wire.server.close();
      await target.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const never = new AbortController().signal;

/** Operations of a session that are compared. */
const operationsEach = 20;

/** A wire to a server that keeps what goes over each connection: each session has one. */
async function startWire(
  url: string,
): Promise<{ readonly url: string; readonly server: Server; take(): string[] }> {
  const { hostname, port } = new URL(url);
  const sent: Buffer[][] = [];
  const server = createServer((client) => {
    const bytes: Buffer[] = [];
    sent.push(bytes);
    client.on('data', (chunk) => bytes.push(Buffer.from(chunk)));
    const upstream = connect(Number(port), hostname);
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => client.destroy() && upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the wire has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    server,
    take: () =>
      sent
        .splice(0)
        .map((bytes) => bodiesOf(Buffer.concat(bytes).toString('latin1')))
        .filter((bodies) => bodies.length >= operationsEach)
        .map((bodies) => bodies.slice(0, operationsEach).join('\n'))
        .sort(),
  };
}

/** The bodies of the requests of a connection. */
function bodiesOf(text: string): string[] {
  return text
    .split(/POST [^\r]*\r\n/)
    .slice(1)
    .map((request) => request.slice(request.indexOf('\r\n\r\n') + 4));
}
