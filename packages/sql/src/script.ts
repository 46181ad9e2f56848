/** What a statement is told by: `postgres` and `sqlite` have standard texts, `mysql` has backslashes in them and DELIMITER. */
export type ScriptKind = 'postgres' | 'mysql' | 'sqlite';

/** A statement of a script. */
export interface Statement {
  /** As it is sent, without the semicolon behind it. */
  readonly text: string;
  /** Its words in small letters, names without their quotes, and other characters each by itself; without comments and texts. */
  readonly words: readonly string[];
}

const tokens: Readonly<Record<ScriptKind, RegExp>> = {
  postgres:
    /(?<comment>--[^\n]*|\/\*)|(?<text>[eE]'(?:[^'\\]|\\[^]|'')*'|'(?:[^']|'')*'|\$(?<tag>(?:[A-Za-z_]\w*)?)\$[^]*?\$\k<tag>\$)|"(?<name>(?:[^"]|"")*)"|(?<word>[\w\u0080-\uffff][\w$\u0080-\uffff]*)|(?<other>[^])/y,
  sqlite:
    /(?<comment>--[^\n]*|\/\*)|(?<text>'(?:[^']|'')*')|"(?<name>(?:[^"]|"")*)"|`(?<name2>[^`]*)`|\[(?<name3>[^\]]*)\]|(?<word>[\w\u0080-\uffff][\w$\u0080-\uffff]*)|(?<other>[^])/y,
  // What stands in /*! … */ is carried out, but for a version that no server has; "…" is a name where the session says so.
  mysql:
    /(?<comment>--(?=\s)[^\n]*|#[^\n]*|\/\*M?!(?!9{6})\d*|\*\/|\/\*)|(?<text>'(?:[^'\\]|\\[^]|'')*')|"(?<name2>(?:[^"\\]|\\[^]|"")*)"|`(?<name>(?:[^`]|``)*)`|(?<word>[\w\u0080-\uffff][\w$\u0080-\uffff]*)|(?<other>[^])/y,
};

/** Routines and triggers, whose body has statements of its own. */
const withBodies = new Set(['trigger', 'function', 'procedure', 'event']);
const others = new Set(
  'table view index sequence type domain schema database extension role user server collation operator'.split(
    ' ',
  ),
);
/** In MySQL's bodies `END IF` and the like close what is not counted. */
const closesOthers = new Set(['if', 'loop', 'while', 'repeat']);
/** Before a column of that name. */
const beforeNames = new Set([',', '(', 'of']);
const beforeStatements = new Set([';', ':', 'then', 'else', 'do', 'loop', 'repeat', 'begin']);

/** The statements of a script of SQL, in their order. Throws for a body that has no end: what follows would be in it. */
export function statementsOfScript(script: string, kind: ScriptKind): readonly Statement[] {
  const found: Statement[] = [];
  const token = new RegExp(tokens[kind]);
  let [at, from] = [0, 0];
  let words: string[] = [];
  /** How many BEGIN and CASE of a body are open; null outside of one. */
  let open: number | null = null;
  let delimiter = ';';
  const end = (until: number): void => {
    if (words.length > 0) found.push({ text: script.slice(from, until).trim(), words });
    words = [];
    open = null;
  };
  while (at < script.length) {
    const own = kind === 'mysql' ? /^[ \t]*delimiter[ \t]+(\S+)[ \t]*$/imy : null;
    if (own !== null && (at === 0 || script[at - 1] === '\n')) {
      own.lastIndex = at;
      const line = own.exec(script);
      if (line !== null) {
        end(at);
        [at, delimiter] = [own.lastIndex, line[1] ?? ';'];
        from = at;
        continue;
      }
    }
    if (script.startsWith(delimiter, at) && (delimiter !== ';' || (open ?? 0) === 0)) {
      end(at);
      at += delimiter.length;
      from = at;
      continue;
    }
    token.lastIndex = at;
    const parts = token.exec(script);
    at = token.lastIndex;
    const { comment, text, word, other, ...names } = parts?.groups ?? {};
    if (comment === '/*') at = endOfComment(script, at, kind);
    const name = names['name'] ?? names['name2'] ?? names['name3'];
    const next = word?.toLowerCase() ?? name ?? (other?.trim() === '' ? undefined : other);
    if (comment !== undefined || text !== undefined || next === undefined) {
      if (text !== undefined) words.push("''");
      continue;
    }
    if (word !== undefined && delimiter === ';') open = depthAfter(words, next, open, kind);
    words.push(next);
  }
  if (open !== null && open > 0)
    throw new Error(`"${words.slice(0, 6).join(' ')}" has a body without its END`);
  end(script.length);
  return found;
}

/** PostgreSQL's comments have comments in them. */
function endOfComment(script: string, from: number, kind: ScriptKind): number {
  let depth = 1;
  const marks = /\/\*|\*\//g;
  marks.lastIndex = from;
  for (let mark = marks.exec(script); mark !== null; mark = marks.exec(script)) {
    if (mark[0] === '*/') depth -= 1;
    else if (kind === 'postgres') depth += 1;
    if (depth === 0) return marks.lastIndex;
  }
  return script.length;
}

function depthAfter(
  words: readonly string[],
  next: string,
  open: number | null,
  kind: ScriptKind,
): number | null {
  const before = words.at(-1) ?? '';
  if (before === '.') return open;
  if (open === null) {
    // PostgreSQL's other bodies are texts.
    const begins =
      kind === 'postgres'
        ? before === 'begin' && next === 'atomic'
        : next === 'begin' && !beforeNames.has(before);
    if (!begins || words[0] !== 'create') return null;
    const object = words.find((word) => withBodies.has(word) || others.has(word)) ?? '';
    return withBodies.has(object) ? 1 : null;
  }
  if (before === 'end' && closesOthers.has(next)) return open + 1;
  if (before === 'end' && next === 'case') return open;
  if (next === 'end') return open - 1;
  const isBlock = next === 'begin' && kind === 'mysql' && beforeStatements.has(before);
  return isBlock || next === 'case' ? open + 1 : open;
}
