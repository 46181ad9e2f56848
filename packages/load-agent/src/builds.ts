import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { connectorManifestSchema, routesOf } from '@fair-bench/contract';
import { z } from 'zod';
import type { Builds } from './messages.ts';

/** Packages that form the Node load client, besides the connectors. */
const nodePackages = /^(contract|results|workload|session|rpc|load-client|connector-.+)$/;

/** Hashes of both load clients' sources: equal hashes mean that two machines measure with the same code. */
export async function buildsOf(root: string): Promise<{ readonly [client in keyof Builds]: string }> {
  const packages = (await readdir(join(root, 'packages'))).filter((name) => nodePackages.test(name));
  const sources = await Promise.all(
    packages.map(async (name) => filesIn(root, join('packages', name, 'src'))),
  );
  const native = (await filesIn(root, 'native')).filter((file) => file.endsWith('.rs'));
  const agent = await filesIn(root, 'packages/load-agent/src');
  return {
    node: await hashOf(root, [...sources.flat(), ...agent, 'pnpm-lock.yaml'], process.version),
    native: await hashOf(root, [...native, ...agent, 'Cargo.toml', 'Cargo.lock']),
  };
}

export async function versionOf(root: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

/** The client modules of this repository's connectors: an agent's load client starts with no others. */
export async function clientModulesOf(root: string): Promise<ReadonlySet<string>> {
  const modules = new Set<string>();
  for (const name of await readdir(join(root, 'packages'))) {
    const text = await readFile(join(root, 'packages', name, 'package.json'), 'utf8').catch(() => '{}');
    const { fairBench } = z.object({ fairBench: z.unknown().optional() }).parse(JSON.parse(text));
    const manifest = connectorManifestSchema.safeParse(fairBench);
    if (!manifest.success) continue;
    for (const { clients } of routesOf(manifest.data)) {
      if (clients.node !== undefined) modules.add(join('packages', name, clients.node));
    }
  }
  return modules;
}

async function filesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

async function hashOf(root: string, files: readonly string[], runtime = ''): Promise<string> {
  const hash = createHash('sha256').update(runtime);
  for (const file of [...files].sort()) hash.update(`${file}\0`).update(await readFile(join(root, file)));
  return hash.digest('hex').slice(0, 12);
}
