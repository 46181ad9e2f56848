import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { InputError } from '@fair-bench/contract';
import { searchPath } from '@fair-bench/runner';
import { readCpuUs, readProcesses, readTicks } from '@fair-bench/supervisor';
import { z } from 'zod';
import { drawRequests, type RpcRequest } from '../requests.ts';
import type { Measured, Peer } from './peer.ts';

const remedy = 'k6 is not on PATH: go install go.k6.io/k6@latest';

interface K6Load {
  readonly url: string;
  readonly sessions: number;
  readonly warmupMs: number;
  readonly windowMs: number;
  readonly requests: readonly RpcRequest[];
}

/** k6 beside the Node load client, both over HTTP at depth 1. */
export const k6: Peer = {
  name: 'k6',
  client: 'node',
  defaults: { workload: 'transfer', targets: 'postgres-storedproc@clientcodec-tuned', sessions: '50' },
  version: k6Version,
  // k6 uses as many processors as it finds.
  threads: () => 1,
  parameters: () => ({}),
  async measure({ directory, signal }, { deployment, workload, ourRate, ...load }) {
    const { sessions, warmupMs, windowMs } = load;
    // k6 may be faster than ours, but not by this much.
    const count = Math.ceil(2 * ourRate * ((warmupMs + windowMs) / 1000 + 1));
    const requests = drawRequests(workload, sessions, count);
    const url = deployment.endpoint.url.replace(/\/$/, '');
    return await runK6(directory, { url, sessions, warmupMs, windowMs, requests }, signal);
  },
};

/** k6's version. Rejects with the remedy when it is not on PATH. */
export async function k6Version(): Promise<string> {
  const run = promisify(execFile);
  const { stdout } = await run('k6', ['version'], { env: { PATH: searchPath() } }).catch((cause: unknown) => {
    throw new InputError(remedy, { cause });
  });
  return stdout.trim();
}

/** One run of k6: a closed loop of `sessions` virtual users. Its files go to `directory`. */
export async function runK6(directory: string, load: K6Load, signal: AbortSignal): Promise<Measured> {
  const { requests, ...setting } = load;
  await writeFile(join(directory, 'setting.json'), JSON.stringify(setting));
  await writeFile(join(directory, 'requests.json'), JSON.stringify(requests));
  await writeFile(join(directory, 'load.js'), script);
  const words = ['run', '--quiet', '--no-color', '--no-usage-report', '--address', '', 'load.js'];
  const child = spawn('k6', words, {
    cwd: directory,
    env: { PATH: searchPath(), HOME: directory },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'exit');
  const readings: ReturnType<typeof read>[] = [];
  const said: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.includes(edgeMark)) readings.push(read(child.pid));
    else said.push(line);
  });
  const [code] = z.tuple([z.int().nullable(), z.unknown()]).parse(await ended);
  if (code !== 0) throw new Error(`k6 ended with code ${code}: ${said.slice(-5).join('\n')}`);
  const [begin, end] = readings;
  if (begin === undefined || end === undefined) throw new Error('k6 said no beginning and end of its window');
  const counts = countsSchema.parse(JSON.parse(await readFile(join(directory, 'counts.json'), 'utf8')));
  const busy = (end.busyTicks - begin.busyTicks) / (end.allTicks - begin.allTicks);
  return { ...counts, windowMs: load.windowMs, clientCpuUs: end.cpuUs - begin.cpuUs, busy };
}

const countsSchema = z.strictObject({ applied: z.int(), declined: z.int(), faults: z.int() });

/** CPU time of k6, and of all processors of the machine; NaN where the system does not report them. */
function read(pid = 0) {
  const { appServer } = readCpuUs([{ pid, role: 'appServer' }], readProcesses([pid]));
  return {
    cpuUs: appServer ?? Number.NaN,
    ...(readTicks() ?? { busyTicks: Number.NaN, allTicks: Number.NaN }),
  };
}

const edgeMark = 'edge-of-the-window';

/**
 * Requests are drawn in advance: k6 only sends them, and only reads the kind of a reply. Only replies within the
 * window count.
 */
const script = `import http from 'k6/http';
import exec from 'k6/execution';
import { SharedArray } from 'k6/data';
import { Counter } from 'k6/metrics';

const { url, sessions, warmupMs, windowMs } = JSON.parse(open('./setting.json'));
const requests = new SharedArray('requests', () => JSON.parse(open('./requests.json')).map(([path, body]) => path + ' ' + body));
const counters = { applied: new Counter('applied'), declined: new Counter('declined'), faults: new Counter('faults') };
const params = { headers: { 'content-type': 'application/json' } };
let edges = 0;

export const options = {
  scenarios: { load: { executor: 'constant-vus', vus: sessions, duration: warmupMs + windowMs + 500 + 'ms', gracefulStop: '5s' } },
  systemTags: [],
};

export default function () {
  const request = requests[exec.scenario.iterationInTest];
  if (request === undefined) exec.test.abort('all ' + requests.length + ' requests were sent before the window ended');
  const space = request.indexOf(' ');
  const reply = http.post(url + request.slice(0, space), request.slice(space + 1), params);
  const elapsedMs = exec.instance.currentTestRunDuration;
  const inWindow = elapsedMs >= warmupMs && elapsedMs < warmupMs + windowMs;
  if (exec.vu.idInTest === 1 && edges < 2 && inWindow === (edges === 0) && elapsedMs >= warmupMs) {
    edges += 1;
    console.log('${edgeMark}');
  }
  if (!inWindow) return;
  if (reply.status !== 200) counters.faults.add(1);
  else counters[reply.body.startsWith('{"kind":"applied"') ? 'applied' : 'declined'].add(1);
}

export function handleSummary({ metrics }) {
  const count = (name) => (metrics[name] ? metrics[name].values.count : 0);
  return { 'counts.json': JSON.stringify({ applied: count('applied'), declined: count('declined'), faults: count('faults') }) };
}
`;
