import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which files of a crate's library use which: by their paths within `src`, tests left out. */
export type Uses = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads the sources of a crate. */
export function usesOfCrate(folder: string): Uses {
  const source = join(folder, 'src');
  const files = globSync('**/*.rs', { cwd: source }).filter(
    (file) => file !== 'main.rs' && !file.split('/').includes('tests'),
  );
  return usesOf(new Map(files.map((file) => [file, readFileSync(join(source, file), 'utf8')])));
}

/** By the text of each file. */
export function usesOf(texts: ReadonlyMap<string, string>): Uses {
  const fileOf = new Map([...texts.keys()].map((file) => [moduleOf(file).join('::'), file]));
  return new Map(
    [...texts].map(([file, text]) => {
      const code = text.replaceAll(/\/\/.*$/gm, '').replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
      const used = pathsIn(code).flatMap((path) => targetOf(path, moduleOf(file), code, fileOf) ?? []);
      return [file, new Set(used.filter((other) => other !== file))];
    }),
  );
}

/** The files of a circle in their order; null when no files are in a circle. */
export function circleIn(uses: Uses): string[] | null {
  const done = new Set<string>();
  const search = (file: string, way: readonly string[]): string[] | null => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return null;
    done.add(file);
    for (const other of uses.get(file) ?? []) {
      const circle = search(other, [...way, file]);
      if (circle !== null) return circle;
    }
    return null;
  };
  for (const file of uses.keys()) {
    const circle = search(file, []);
    if (circle !== null) return circle;
  }
  return null;
}

function moduleOf(file: string): string[] {
  const names = file.replace(/\.rs$/, '').split('/');
  return ['lib', 'mod'].includes(names.at(-1) ?? '') ? names.slice(0, -1) : names;
}

/** `use` with its braces written out, and paths within the code. */
function pathsIn(code: string): string[][] {
  const trees = [...code.matchAll(/\buse\s+([^;]+);/g)].flatMap(([, tree = '']) => expanded(tree));
  const inline = [...code.matchAll(/\b[a-z_]\w*(?:::\w+)+/g)].map(([path]) => path);
  return [...trees, ...inline].map((path) => path.split('::'));
}

/** `a::{b, c::d}` is `a::b` and `a::c::d`. */
function expanded(tree: string): string[] {
  const open = tree.indexOf('{');
  if (open === -1) return [tree.replace(/\s+as\s.*$/s, '').trim()];
  const prefix = tree.slice(0, open).trim();
  const members: string[] = [''];
  let depth = 0;
  for (const letter of tree.slice(open + 1, tree.lastIndexOf('}'))) {
    if (letter === '{') depth += 1;
    if (letter === '}') depth -= 1;
    if (letter === ',' && depth === 0) members.push('');
    else members.push((members.pop() ?? '') + letter);
  }
  return members.filter((member) => member.trim() !== '').flatMap((each) => expanded(prefix + each.trim()));
}

/** The file of the innermost module that a path names. */
function targetOf(
  path: readonly string[],
  own: readonly string[],
  code: string,
  fileOf: ReadonlyMap<string, string>,
): string | undefined {
  const [first = ''] = path;
  const ups = path.findIndex((name) => name !== 'super');
  const isChild = new RegExp(`\\bmod ${first};`).test(code);
  if (!['crate', 'self', 'super'].includes(first) && !isChild) return undefined;
  const base = first === 'crate' ? [] : first === 'super' ? own.slice(0, own.length - ups) : own;
  const rest = isChild ? path : path.slice(first === 'super' ? ups : 1);
  for (let length = rest.length; length >= 0; length -= 1) {
    const file = fileOf.get([...base, ...rest.slice(0, length)].join('::'));
    if (file !== undefined) return file;
  }
  return undefined;
}
