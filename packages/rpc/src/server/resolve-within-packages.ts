import * as nodeModule from 'node:module';

const ownFile = /^\.\.?\/.*\.[cm]?js$/;
let isRegistered = false;

/**
 * Shortens imports of a package's own files by relative paths: Node.js 26 parses all of its package.json again for each of them, which
 * of drizzle-orm (180 kB, 110 files) takes half a second. Nothing else is resolved in another way. A runtime without such hooks does
 * what it did.
 */
export function resolveWithinPackages(): void {
  if (isRegistered || !('registerHooks' in nodeModule)) return;
  isRegistered = true;
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      return parentURL?.includes('/node_modules/') === true && ownFile.test(specifier)
        ? { url: new URL(specifier, parentURL).href, shortCircuit: true }
        : next(specifier, context);
    },
  });
}
