import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Evaluates one workload file in a process of its own and sends what it exports, as JSON: nothing of it reaches the
 * runner or a load client but data.
 */
const [, , path = ''] = process.argv;

// A folder outside the repository finds the words of a workload here, unless it has its own.
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
  // Whatever the file left running ends with the process.
  process.send?.(JSON.stringify(message), () => process.exit());
}
