import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Evaluates one workload file in a separate process and sends its exports as JSON: only data reaches the runner and
 * the load clients.
 */
const [, , path = ''] = process.argv;

// For a folder outside the repository: resolves the workload package to this one, unless the folder has its own.
registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!specifier.startsWith('@fair-bench/')) throw error;
      return next(specifier, { ...context, parentURL: import.meta.url });
    }
  },
});

try {
  const module: { readonly default?: unknown } = await import(pathToFileURL(path).href);
  send({ description: module.default ?? null });
} catch (error) {
  send({ failure: error instanceof Error ? error.message : String(error) });
}

function send(message: unknown): void {
  // Whatever the file started ends with the process.
  process.send?.(JSON.stringify(message), () => process.exit());
}
