import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { badOption, InputError, messageOf, nameSchema } from '@fair-bench/contract';
import { loadClientArguments, type LoadClientCommand } from '@fair-bench/load-client';
import { prepareNativeClient } from '@fair-bench/native-client';
import { LoadAgent, removeLeftovers } from './agent.ts';
import { buildsOf, clientModulesOf, versionOf } from './builds.ts';
import { connectNats, natsUrl } from './connection.ts';
import { announcementsOf } from './hello.ts';
import { bootOfMachine } from './messages.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** How often to try a server that does not answer yet. */
const retryMs = 2000;
const usage = `Usage: npm run load-agent -- --nats nats://HOST:4222 [options]

  --nats <url>        the NATS server, with JetStream; tls://HOST:4222 for TLS
  --nats-auth <file>  credentials and certificates as JSON; see docs/several-machines.md
  --name <name>       how runs call this agent (default: the host's name)
  --client <names>    node, native, or both by a comma (default: both; native where Rust is)
`;

/** A load agent, until it is stopped. Exit code 2 for bad input. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) {
    process.stdout.write(usage);
    return 0;
  }
  const { name, access, clients } = options;
  const say = (line: string): void => void process.stderr.write(`load agent ${name}: ${line}\n`);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
  const hashes = await buildsOf(root);
  const programs = {
    node: clients.has('node') ? { command: process.execPath, arguments: loadClientArguments } : null,
    native: clients.has('native') ? await nativeProgram(ending.signal, say) : null,
  };
  const wait = async (reason: string): Promise<void> => {
    say(reason);
    await sleep(retryMs, undefined, { signal: ending.signal });
  };
  const nats = await connectNats(access, { name: `fair-bench load agent ${name}`, wait });
  // One that cannot be understood is for the runner to refuse.
  const others = await announcementsOf(nats).catch(() => []);
  if (others.some((other) => other.name === name)) {
    await nats.close();
    throw badOption('name', name, 'a name that no other agent of this NATS server has');
  }
  const builds = {
    node: programs.node === null ? null : hashes.node,
    native: programs.native === null ? null : hashes.native,
  };
  const clientModules = await clientModulesOf(root);
  await removeLeftovers();
  const agent = new LoadAgent(nats, {
    root,
    name,
    version: await versionOf(root),
    boot: bootOfMachine(),
    builds,
    programs,
    clientModules,
    say,
  });
  say(`ready at ${access.url}: node ${builds.node ?? 'none'}, native ${builds.native ?? 'none'}`);
  const ended = new Promise<void>((done) =>
    ending.signal.addEventListener('abort', () => done(), { once: true }),
  );
  await Promise.race([ending.signal.aborted ? undefined : ended, agent.serve()]);
  await agent.close();
  return 0;
}

async function nativeProgram(
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<LoadClientCommand | null> {
  const client = await prepareNativeClient({ root, signal, onProgress: say });
  if (client.available) return { command: client.command, arguments: [] };
  say(`no native load client: ${client.reason}; ${client.remedy}`);
  return null;
}

interface Options {
  readonly name: string;
  readonly access: { readonly url: string; readonly authFile: string | null };
  readonly clients: ReadonlySet<string>;
}

function readOptions(args: string[]): Options | null {
  const text = { type: 'string' } as const;
  const options = {
    nats: text,
    'nats-auth': text,
    name: text,
    client: text,
    help: { type: 'boolean' },
  } as const;
  const { values } = parsed(() => parseArgs({ args, options, strict: true }));
  if (values.help === true) return null;
  if (process.platform !== 'linux')
    throw new InputError('load agents run on Linux: clocks are compared by CLOCK_MONOTONIC');
  const url = natsUrl(values.nats ?? '');
  if (url === null)
    throw badOption(
      'nats',
      values.nats ?? 'nothing',
      'nats://HOST:PORT or tls://HOST:PORT, without a password',
    );
  const name = nameSchema.safeParse(
    values.name ??
      hostname()
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-'),
  );
  if (!name.success) throw badOption('name', values.name ?? hostname(), 'lower-case words joined by "-"');
  const clients = (values.client ?? 'node,native').split(',');
  if (clients.some((client) => client !== 'node' && client !== 'native')) {
    throw badOption('client', values.client ?? '', 'node, native or both by a comma');
  }
  const authFile = values['nats-auth'];
  return {
    name: name.data,
    access: { url, authFile: authFile === undefined ? null : resolve(authFile) },
    clients: new Set(clients),
  };
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new InputError(`${messageOf(cause)}; see --help`, { cause });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.exitCode = error instanceof InputError ? 2 : 1;
  process.stderr.write(`load agent: ${messageOf(error)}\n`);
}
// An open handle must not keep the process.
setTimeout(() => process.exit(), 2000).unref();
