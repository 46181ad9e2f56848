import { dirname, relative } from 'node:path';

/** A package of the workspace: its folder, and the modules that others import by its name. */
export interface WorkspacePackage {
  /** From the root, as `packages/contract`. */
  readonly folder: string;
  readonly name: string;
  /** By subpath, as `./binding`: the path in its folder. */
  readonly exports: Readonly<Record<string, string>>;
}

const ownModule = /(['"`])(\.{1,2}\/[^'"`\n]*?)\.ts\1/g;
const ourModule = /(['"])(@fair-bench\/[a-z-]+)((?:\/[a-z-]+)*)\1/g;

/**
 * JavaScript, or declarations, whose imports fit the installed package: modules are JavaScript, and packages of the workspace are
 * named by paths, so that no package manager has to know them. Throws for a name that no package has.
 * @param file its path from the root.
 */
export function forPackage(text: string, file: string, packages: readonly WorkspacePackage[]): string {
  return text
    .replaceAll(ownModule, '$1$2.js$1')
    .replaceAll(ourModule, (_, quote: string, name: string, subpath: string) => {
      const target = packages.find((one) => one.name === name);
      const path = target?.exports[`.${subpath}`];
      if (target === undefined || path === undefined) {
        throw new Error(`${file}: imports ${name}${subpath}, which no package has; add it to its exports`);
      }
      const to = relative(dirname(file), `${target.folder}/${path.slice(2)}`).replace(/\.ts$/, '.js');
      return `${quote}${to.startsWith('.') ? to : `./${to}`}${quote}`;
    });
}
