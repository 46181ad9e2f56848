import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const root = new URL('../../../../', import.meta.url);
const mainOf = (words: readonly string[]): string =>
  new URL(words[0]?.startsWith('bench:') === true ? 'tools/main.ts' : 'packages/runner/src/main.ts', root)
    .href;

const endedSchema = z.strictObject({ code: z.number(), stdout: z.string(), stderr: z.string() });
export type Ended = z.infer<typeof endedSchema>;

/**
 * Runs command lines that end by themselves, one after the other in one new process: each evaluates the program's main
 * file anew, what that imports is loaded once.
 */
export async function runInOneProcess(commands: readonly (readonly string[])[]): Promise<readonly Ended[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [fileURLToPath(import.meta.url), JSON.stringify(commands)],
    // A command that measures instead of ending must not go on beside other tests.
    { timeout: 50_000, killSignal: 'SIGINT' },
  );
  return z.array(endedSchema).parse(JSON.parse(stdout));
}

async function runHere(words: readonly string[], index: number): Promise<Ended> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const keep = (lines: string[]) => (chunk: string | Uint8Array) => lines.push(String(chunk)) > 0;
  process.stdout.write = keep(stdout);
  process.stderr.write = keep(stderr);
  process.exitCode = undefined;
  process.argv = [process.execPath, 'main.ts', ...words];
  await import(`${mainOf(words)}?${index}`);
  return { code: exitCode(), stdout: stdout.join(''), stderr: stderr.join('') };
}

function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

if (import.meta.main) {
  const print = process.stdout.write.bind(process.stdout);
  // Every evaluation of a main file listens for itself, as it would in a process of its own.
  for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);
  // And ends its process some seconds later, whatever is left open: here the others are.
  Object.assign(process, { exit: () => undefined });
  const all: Ended[] = [];
  for (const [index, words] of z
    .array(z.array(z.string()))
    .parse(JSON.parse(process.argv[2] ?? '[]'))
    .entries())
    all.push(await runHere(words, index));
  process.exitCode = 0;
  print(JSON.stringify(all));
}
