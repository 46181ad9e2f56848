import { isInstalled } from '@fair-bench/contract';
import { join } from 'node:path';

/** The folder of the user's own files: a clone, or of an installed package the folder in which it is called. */
export function homeOf(root: string): string {
  return isInstalled ? process.cwd() : root;
}

/** The folder of the user's configuration. */
export function configFolder(root: string): string {
  return isInstalled ? join(homeOf(root), 'bench') : root;
}

/** The folder of all runs, and of what is known of this machine. */
export function resultsFolder(root: string): string {
  return join(homeOf(root), isInstalled ? 'fair-bench-results' : 'results');
}
