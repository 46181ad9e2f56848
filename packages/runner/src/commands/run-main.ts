import { InputError } from '@fair-bench/contract';
import { exitCodes } from './exit-codes.ts';

/** An open handle must not keep the process alive; the exit code is set anyway. */
const lingerMsMax = 10_000;

/** Runs a program: its exit code is what `program` resolves with, 2 for bad input, 1 for anything unexpected. */
export async function runMain(program: (words: readonly string[]) => Promise<number>): Promise<void> {
  // Who reads the output may stop, as `head` does: the run goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    process.exitCode = await program(process.argv.slice(2));
  } catch (error) {
    process.exitCode = explain(error);
  }
  setTimeout(() => process.exit(), lingerMsMax).unref();
}

function explain(error: unknown): number {
  if (error instanceof InputError) {
    process.stderr.write(`fair-bench: ${error.message}\n`);
    return exitCodes.badInput;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`fair-bench: unexpected: ${detail}\n`);
  return exitCodes.void;
}
