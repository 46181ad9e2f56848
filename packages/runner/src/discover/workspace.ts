import { readdir } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';
import {
  InputError,
  bindingStems,
  type ConnectorManifest,
  type RouteManifest,
  firstIssue,
  connectorManifestSchema,
  routesOf,
  parseJson,
} from '@fair-bench/contract';
import { z } from 'zod';
import { readIfThere } from '@fair-bench/results';

/** A connector's route as declared in its package.json; its code has not run. */
export interface FoundConnector {
  /** `<system>-<route>`: also the name of its target. */
  readonly name: string;
  readonly manifest: RouteManifest;
  /** Whether it can execute the chosen workload; true without one. */
  readonly isBound: boolean;
  /** The package.json that announces it. */
  readonly manifestPath: string;
  /** The module whose default export is the connector. */
  readonly modulePath: string;
  /** The module that the Node load client imports; null when that client does not support it. */
  readonly nodeClientPath: string | null;
}

/** Everything in a workspace, sorted by name. */
export interface Catalog {
  readonly connectors: readonly FoundConnector[];
  /** Those whose targets are applications of the user's. */
  readonly applications: readonly FoundConnector[];
}

const packageSchema = z.object({
  fairBench: z.unknown().optional(),
  exports: z.object({ '.': z.string() }).optional(),
});

/**
 * Finds connectors by the `fairBench` field of every packages/<folder>/package.json under `root`. A package without
 * the field is ignored; a broken field is an InputError that names the file.
 */
export async function discover(root: string): Promise<Catalog> {
  const connectors: FoundConnector[] = [];
  for (const directory of await packageDirectories(root)) {
    const found = await readPackage(directory);
    if (found === null) continue;
    const { manifest, manifestPath, modulePath } = found;
    for (const route of routesOf(manifest)) {
      const { node } = route.clients;
      const nodeClientPath = node === undefined ? null : resolve(directory, node);
      const name = `${route.system}-${route.route}`;
      connectors.push({ name, manifest: route, isBound: true, manifestPath, modulePath, nodeClientPath });
    }
  }
  const sorted = sortUnique(connectors);
  return {
    connectors: sorted.filter(({ manifest }) => !manifest.application),
    applications: sorted.filter(({ manifest }) => manifest.application),
  };
}

/** A connector is bound to a workload by a file in the workload's folder, unless it needs none. */
export async function discoverFor(root: string, { folder }: { readonly folder: string }): Promise<Catalog> {
  const { connectors, applications } = await discover(root);
  const stems = new Set((await readdir(folder)).map((file) => parse(file).name));
  return {
    applications,
    connectors: connectors.map((found) => {
      const { manifest } = found;
      const isBound =
        manifest.calibration || !manifest.bindings || bindingStems(manifest).some((stem) => stems.has(stem));
      return { ...found, isBound };
    }),
  };
}

async function packageDirectories(root: string): Promise<string[]> {
  const packages = join(root, 'packages');
  const entries = await readdir(packages, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(packages, entry.name));
}

interface FoundPackage {
  readonly manifest: ConnectorManifest;
  readonly manifestPath: string;
  readonly modulePath: string;
}

async function readPackage(directory: string): Promise<FoundPackage | null> {
  const manifestPath = join(directory, 'package.json');
  // A folder without package.json (left over from another branch) is ignored.
  const text = await readIfThere(manifestPath);
  if (text === null) return null;
  const contents = packageSchema.safeParse(parseJson(text, manifestPath));
  if (!contents.success) throw new InputError(`${manifestPath}: ${firstIssue(contents.error)}`);
  const { fairBench, exports } = contents.data;
  if (fairBench === undefined) return null;
  const manifest = connectorManifestSchema.safeParse(fairBench);
  if (!manifest.success) throw new InputError(`${manifestPath}: fairBench: ${firstIssue(manifest.error)}`);
  if (exports === undefined) {
    throw new InputError(`${manifestPath}: exports: got nothing; accepts { ".": "./src/index.ts" }`);
  }
  return { manifest: manifest.data, manifestPath, modulePath: resolve(directory, exports['.']) };
}

function sortUnique<T extends { readonly name: string; readonly manifestPath: string }>(found: T[]): T[] {
  const sorted = found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const [index, item] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next?.name === item.name) {
      throw new InputError(`${next.manifestPath}: "${item.name}" is announced by ${item.manifestPath} too`);
    }
  }
  return sorted;
}
