import { realpathSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ownFile = /^\.\.?\/[^?#%]*\.[cm]?js$/;
let isRegistered = false;

/**
 * Shortens imports of a package's own files by relative paths: Node.js 26 parses all of its package.json again for each of them, which
 * of drizzle-orm (180 kB, 110 files) takes half a second. Such a file is what its path says, after links; all else, a file that is not
 * there among it, is left to the runtime, as it is where that has no such hooks.
 */
export function resolveWithinPackages(): void {
  if (isRegistered || !('registerHooks' in nodeModule)) return;
  isRegistered = true;
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      const url = urlWithin(specifier, context);
      return url === null ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}

function urlWithin(
  specifier: string,
  {
    parentURL,
    conditions,
  }: { readonly parentURL?: string | undefined; readonly conditions: readonly string[] },
): string | null {
  if (parentURL?.includes('/node_modules/') !== true || !ownFile.test(specifier)) return null;
  if (!conditions.includes('import')) return null;
  try {
    return pathToFileURL(realpathSync(fileURLToPath(new URL(specifier, parentURL)))).href;
  } catch {
    return null;
  }
}
