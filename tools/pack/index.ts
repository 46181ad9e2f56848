import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { catalogOf, insideManifest, type Manifest, publishedManifest, readManifest } from './manifest.ts';
import { forPackage, type WorkspacePackage } from './modules.ts';

/** Folders with packages, and packages that are for work on Fair Bench itself. */
const packageFolders = ['packages', 'rpc-servers'];
const leftOut = ['conformance', 'project-files'];
/** What is copied as it is. */
const copied = ['claims', 'native', 'Cargo.toml', 'Cargo.lock', 'LICENSE', 'README.md', 'FAIR-BENCHMARK.md'];
/** Folders of tests, of other packages, and of what is built. */
const passedOver = ['test', 'tests', 'test-support', 'node_modules', 'target'];

interface Inside extends WorkspacePackage {
  readonly manifest: Manifest;
}

/**
 * Builds the package `fair-bench`: the workspace as JavaScript with declarations, in the same folders, with one package.json. Resolves
 * with the path of the archive, in `out`.
 */
export async function pack(root: string, out: string): Promise<string> {
  const stage = await mkdtemp(join(tmpdir(), 'fair-bench-pack-'));
  try {
    const inside = await packagesIn(root);
    const declarations = join(stage, '.declarations');
    await declare(root, stage, declarations);
    const whole = join(stage, 'fair-bench');
    for (const one of inside) await stageFolder({ root, declarations, whole, inside }, one.folder, 'src');
    await stageFolder({ root, declarations, whole, inside }, 'workloads', '');
    for (const { folder, manifest } of inside)
      await writeJson(join(whole, folder, 'package.json'), insideManifest(manifest));
    for (const name of copied) {
      await cp(join(root, name), join(whole, name), {
        recursive: true,
        filter: (path) => !/(^|\/)(target|node_modules)(\/|$)/.test(path),
      });
    }
    await mkdir(join(whole, 'bin'), { recursive: true });
    for (const file of ['bin.mjs', 'runtime.mjs'])
      await cp(join(root, 'scripts', file), join(whole, 'bin', file));
    const rootManifest = readManifest(await readFile(join(root, 'package.json'), 'utf8'));
    const catalog = catalogOf(await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8'));
    const workloads = readManifest(await readFile(join(root, 'workloads', 'package.json'), 'utf8'));
    const manifests = [...inside.map(({ manifest }) => manifest), workloads];
    await writeJson(join(whole, 'package.json'), publishedManifest(rootManifest, manifests, catalog));
    await mkdir(out, { recursive: true });
    const words = ['pack', '--silent', '--pack-destination', out];
    const { stdout } = await promisify(execFile)('npm', words, { cwd: whole });
    return join(out, stdout.trim());
  } finally {
    await rm(stage, { recursive: true });
  }
}

async function packagesIn(root: string): Promise<readonly Inside[]> {
  const found: Inside[] = [];
  for (const parent of packageFolders) {
    for (const name of (await readdir(join(root, parent))).filter((one) => !leftOut.includes(one))) {
      const folder = `${parent}/${name}`;
      const text = await readFile(join(root, folder, 'package.json'), 'utf8').catch(() => null);
      if (text === null) continue;
      const manifest = readManifest(text);
      found.push({ folder, manifest, name: manifest.name, exports: manifest.exports });
    }
  }
  return found;
}

/** Declarations of all modules, by the type checker. */
async function declare(root: string, stage: string, to: string): Promise<void> {
  const project = join(stage, 'tsconfig.json');
  const modules = ['packages/*/src', 'rpc-servers/*/src', 'workloads/*/*.ts'];
  await writeJson(project, {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      outDir: to,
      rootDir: root,
      typeRoots: [join(root, 'node_modules', '@types')],
    },
    include: modules.map((pattern) => join(root, pattern)),
  });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', project]);
}

interface Stage {
  readonly root: string;
  readonly declarations: string;
  readonly whole: string;
  readonly inside: readonly Inside[];
}

/** Every file below a folder of a package, TypeScript as JavaScript. */
async function stageFolder(
  { root, declarations, whole, inside }: Stage,
  folder: string,
  below: string,
): Promise<void> {
  for (const path of await filesBelow(root, [folder, below].filter((part) => part !== '').join('/'))) {
    const isModule = path.endsWith('.ts') && !path.endsWith('.d.ts');
    const to = join(whole, isModule ? path.replace(/\.ts$/, '.js') : path);
    await mkdir(dirname(to), { recursive: true });
    if (!isModule) {
      await cp(join(root, path), to);
      continue;
    }
    const source = await readFile(join(root, path), 'utf8');
    await writeFile(to, forPackage(stripTypeScriptTypes(source), path, inside));
    const declared = path.replace(/\.ts$/, '.d.ts');
    const declaration = await readFile(join(declarations, declared), 'utf8').catch(() => null);
    if (declaration !== null) await writeFile(join(whole, declared), forPackage(declaration, path, inside));
  }
}

/** Paths from the root, without links, which would lead into other packages. */
async function filesBelow(root: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found = entries
    .filter((entry) => !passedOver.includes(entry.name))
    .map(async (entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return await filesBelow(root, path);
      return entry.isFile() ? [path] : [];
    });
  return (await Promise.all(found)).flat();
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
