import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The path of a module in a folder, by its name in TypeScript: the same in JavaScript where only that is there, as in an installed
 * package, whose TypeScript Node.js refuses.
 */
export function moduleIn(folder: string, name: string): string {
  const path = join(folder, name);
  const compiled = path.replace(/\.ts$/, '.js');
  return !existsSync(path) && existsSync(compiled) ? compiled : path;
}
