/**
 * Whether this code is the installed package `fair-bench`, in another project's `node_modules`, and not a clone of the
 * repository.
 */
export const isInstalled = import.meta.url.includes('/node_modules/');

/** A command as its user types it: by npm in a clone, by npx where the package is installed. */
export function typedCommand(name: string, words: readonly string[] = []): string {
  if (!isInstalled) return ['npm run', name, ...(words.length === 0 ? [] : ['--', ...words])].join(' ');
  return ['npx fair-bench', ...(name === 'fair-bench' ? [] : [name]), ...words].join(' ');
}
