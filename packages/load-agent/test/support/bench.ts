import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runShortTrial, targetWorkload, workloadNamed } from '@fair-bench/conformance';
import nullConnector from '@fair-bench/connector-null';
import { routeOf } from '@fair-bench/contract';
import { loadClientArguments } from '@fair-bench/load-client';
import { protocolVersion, type TrialPlan, type TrialRecord, type TrialResult } from '@fair-bench/results';
import { LoadAgents, onThisMachine, seed } from '@fair-bench/runner';
import { startLoneTarget } from '@fair-bench/supervisor';
import { defaultParameters, plannedJson, resolveWorkload } from '@fair-bench/workload';
import transfer from '@fair-bench/workloads/transfer';
import { Wire } from './wire.ts';

export const root = fileURLToPath(new URL('../../../..', import.meta.url));
export const never = new AbortController().signal;
const clientModule = pathToFileURL(join(root, 'packages/connector-null/src/client.ts')).href;

/**
 * The null RPC server, which answers each operation after 2 ms at an address of this machine, and trials on it by
 * agents or by this machine.
 */
export async function startBench(host = '127.0.0.1') {
  const { description, ...loaded } = await workloadNamed('transfer');
  const workload = targetWorkload({ description, ...loaded });
  const target = await startLoneTarget(routeOf(nullConnector, 'http'), { workload, extra: { delayMs: '8' } });
  const { deployment } = target;
  const parameters = { ...defaultParameters(transfer), accounts: 1000 };
  const cell = { target: 'null-http', parameters };
  await seed({ cell, workload: description, deployment, signal: AbortSignal.timeout(10_000) });
  const folder = await mkdtemp(join(tmpdir(), 'load-agents-'));
  const wire = await Wire.to(Number(new URL(deployment.endpoint.url).port), host);
  const endpoint = { ...deployment.endpoint, url: `http://${host}:${wire.port}` };
  let trials = 0;
  const plan = (change: Partial<TrialPlan> = {}): TrialPlan => ({
    protocol: protocolVersion,
    trialId: 'trial',
    client: { kind: 'node', module: clientModule },
    endpoint,
    workload: plannedJson(resolveWorkload(transfer, parameters)),
    sessions: 5,
    share: null,
    canaries: [],
    depth: 2,
    batch: 1,
    threads: 1,
    loop: { kind: 'closed' },
    timing: {
      warmupMs: 300,
      warmupMsMax: 600,
      windowMs: 1000,
      windowMsMax: 1000,
      drainMs: 5000,
      connectMs: 10_000,
      operationMs: 5000,
    },
    logPath: join(folder, `log-${(trials += 1)}`),
    ...change,
  });
  return {
    plan,
    open: async (url: string, names: readonly string[]): Promise<LoadAgents> => {
      const setting = { access: { url, authFile: null }, wanted: { kind: 'names', names } } as const;
      const agents = await LoadAgents.open(setting, 'test.run', root);
      if (agents === null) throw new Error('no agents were opened');
      return agents;
    },
    here: async (trial: TrialPlan): Promise<TrialResult> => {
      await using client = onThisMachine({ command: process.execPath, arguments: loadClientArguments })();
      return await client.run(trial, () => {}, never);
    },
    /** A trial that is seeded, measured by the agents and audited, as in a run. */
    audited: async ({ source }: LoadAgents): Promise<TrialRecord> =>
      await runShortTrial({
        target: 'null-http',
        deployment: { ...deployment, endpoint },
        client: { kind: 'node', module: clientModule },
        loadClient: source,
        directory: folder,
        workload: description,
        windowMs: 1000,
      }),
    /** Begins a trial of a minute; resolves when it is in its window. */
    inWindow: async (agents: LoadAgents): Promise<{ readonly trial: Promise<TrialResult> }> => {
      const begun = Promise.withResolvers<void>();
      const { timing } = plan();
      const onEvent: Parameters<LoadAgents['run']>[1] = (event) => {
        if (event.type === 'phase' && event.phase === 'window') begun.resolve();
      };
      const trial = agents.run(
        plan({ timing: { ...timing, windowMs: 60_000, windowMsMax: 60_000 } }),
        onEvent,
        never,
      );
      trial.catch(begun.reject);
      await begun.promise;
      return { trial };
    },
    /** The first operations of each session since the last call, as sent over the wire. */
    streams: () => wire.takeStreams(),
    close: async () => {
      wire.close();
      await target.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Bench = Awaited<ReturnType<typeof startBench>>;
