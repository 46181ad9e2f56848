import { loadClientArguments } from '@fair-bench/load-client';
import { bootOfMachine, buildsOf, clientModulesOf, connectNats, LoadAgent } from '../../src/index.ts';
import { root } from './bench.ts';

/** An agent in this process: starts its load client by this command, of this build. */
export async function agentHere(
  url: string,
  name: string,
  {
    words = loadClientArguments,
    build,
    boot = bootOfMachine(),
  }: { readonly words?: readonly string[]; readonly build?: string; readonly boot?: string } = {},
): Promise<LoadAgent> {
  const nats = await connectNats({ url, authFile: null }, { name });
  return new LoadAgent(nats, {
    root,
    name,
    version: 'test',
    boot,
    builds: { node: build ?? (await buildsOf(root)).node, native: null },
    programs: { node: { command: process.execPath, arguments: words }, native: null },
    clientModules: await clientModulesOf(root),
    say: () => {},
  });
}
