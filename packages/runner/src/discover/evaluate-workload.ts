import { pathToFileURL } from 'node:url';
import { resolveWorkloadPackage } from './resolve-workload-package.ts';

/**
 * Evaluates one workload file in a separate process and sends its exports as JSON: only data reaches the runner and
 * the load clients.
 */
const [, , path = ''] = process.argv;

resolveWorkloadPackage();

try {
  const module: { readonly default?: unknown } = await import(pathToFileURL(path).href);
  send({ description: module.default ?? null });
} catch (error) {
  send({ failure: error instanceof Error ? `${placeOf(error)}${error.message}` : String(error) });
}

/** The line and column of the workload file that the error came from, empty if its stack has none. */
function placeOf({ stack = '' }: Error): string {
  const url = pathToFileURL(path).href;
  const frame = stack.split('\n').find((line) => line.includes(url));
  const place = frame === undefined ? null : /:(\d+:\d+)\)?$/.exec(frame);
  return place === null ? '' : `line ${place[1]}: `;
}

function send(message: unknown): void {
  // Whatever the file started ends with the process.
  process.send?.(JSON.stringify(message), () => process.exit());
}
