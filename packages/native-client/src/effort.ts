import { execFile } from 'node:child_process';
import { glob } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { nativeTools } from '@fair-bench/supervisor';
import { z } from 'zod';

const effortSchema = z.strictObject({
  /** Tools besides cargo. */
  needs: z.array(z.enum(['c++', 'libclang'])).default([]),
  /** How long the first build takes, in words. */
  takes: z.string().default('a minute or more'),
  minutesMax: z.number().default(30),
});
type Effort = z.infer<typeof effortSchema>;
type Tool = Effort['needs'][number];

/** One sentence each. */
export interface Lack {
  readonly reason: string;
  readonly remedy: string;
}

const metadataSchema = z.object({
  packages: z.array(
    z.object({
      metadata: z
        .object({ 'fair-bench': z.record(z.string(), z.unknown()) })
        .nullable()
        .catch(null),
    }),
  ),
});

interface EffortInput {
  readonly root: string;
  readonly signal: AbortSignal;
  readonly engine?: string;
}

/** What the build of an engine needs and takes, as the manifest of its crate says in `package.metadata.fair-bench`. */
export async function effortOf({ root, signal, engine }: EffortInput): Promise<Effort> {
  if (engine === undefined) return effortSchema.parse({});
  const words = ['metadata', '--no-deps', '--offline', '--format-version=1'];
  // The build itself says what is wrong with a manifest that cannot be read.
  const output = await promisify(execFile)('cargo', words, { cwd: root, signal }).catch(() => null);
  signal.throwIfAborted();
  if (output === null) return effortSchema.parse({});
  const { packages } = metadataSchema.parse(JSON.parse(output.stdout));
  const said = packages.map(({ metadata }) => metadata?.['fair-bench'][engine]);
  return effortSchema.parse(said.find((effort) => effort !== undefined) ?? {});
}

/** Which tools are missing here, looked for before a build that would miss them after minutes. */
export async function lackOfTools(needs: readonly Tool[]): Promise<Lack | null> {
  const lacks = await Promise.all(needs.map(async (tool) => await tools[tool].lack()));
  const missing = needs.filter((_, index) => lacks[index] !== null);
  if (missing.length === 0) return null;
  const packages = missing.map((tool) => tools[tool].debian).join(' ');
  return {
    reason: `cargo cannot build it here: ${lacks.filter((lack) => lack !== null).join('; ')}`,
    remedy: `apt-get install ${packages} (macOS: xcode-select --install), and run again`,
  };
}

interface ToolSearch {
  /** Debian's package. */
  readonly debian: string;
  /** Null where it is there. */
  lack(): Promise<string | null>;
}

const tools: Readonly<Record<Tool, ToolSearch>> = {
  'c++': { debian: 'g++', lack: lackOfCompiler },
  libclang: { debian: 'libclang-dev', lack: lackOfLibclang },
};

async function lackOfCompiler(): Promise<string | null> {
  const { compiler } = nativeTools();
  const version = await outputOf(compiler, ['--version']);
  return version === null ? `there is no C++ compiler (${compiler})` : null;
}

/** Searches where `clang-sys` does, by which a build reads the headers of C. */
async function lackOfLibclang(): Promise<string | null> {
  const { libclang, llvmConfig, libraryFolders } = nativeTools();
  const prefix = (await outputOf(llvmConfig, ['--prefix']))?.trim();
  const installed = prefix === undefined ? [] : [join(prefix, 'lib'), join(prefix, 'lib64')];
  const folders =
    libclang === undefined
      ? [...installed, ...libraryFolders, ...systemFolders]
      : [libclang, dirname(libclang)];
  for (const folder of folders) {
    for await (const path of glob(join(folder, 'libclang*'))) {
      if (/^libclang(?:-(?!cpp)[^/]*)?\.(?:so|dylib|dll)(?:\.|$)/.test(basename(path))) return null;
    }
  }
  const where = libclang === undefined ? '' : ` in LIBCLANG_PATH=${libclang}`;
  return `there is no libclang${where}, which reads the headers of C`;
}

const systemFolders = [
  '/usr/lib*',
  '/usr/lib*/*',
  '/usr/local/lib*',
  '/usr/local/lib*/*',
  '/usr/local/llvm*/lib*',
  '/usr/lib*/*/*',
  '/usr/local/lib*/*/*',
  '/usr/local/opt/llvm*/lib',
  '/Library/Developer/CommandLineTools/usr/lib',
  '/Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/lib',
];

/** Null where the program cannot be run. */
async function outputOf(program: string, words: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(program, words, { timeout: 30_000 });
    return stdout;
  } catch {
    return null;
  }
}
