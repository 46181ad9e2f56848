import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { InputError, inOurSchema, messageOf, ourSchema, type TableShape } from '@fair-bench/contract';
import {
  mysqlSplitterOptions,
  postgreSplitterOptions,
  splitQuery,
  sqliteSplitterOptions,
} from 'dbgate-query-splitter';
import type { SqlConnection } from './dialect.ts';

const splitters = {
  mysql: mysqlSplitterOptions,
  postgres: postgreSplitterOptions,
  sqlite: sqliteSplitterOptions,
};

/** How a system makes the tables of a file of the user's. */
export interface SetupDialect {
  readonly title: string;
  readonly splitter: keyof typeof splitters;
  /** Statements before the file's, such as those that make our schema the one of names without a schema; and after them. */
  readonly begin: readonly string[];
  readonly end: readonly string[];
  /** A query with a row for each column in our schema: table, column, and 1 where a row needs a value for it. */
  readonly columns: string;
  /**
   * Whether the file changes what is not ours, as a question before and after it: the names of what was changed. Absent where nothing
   * else is in the database.
   */
  readonly foreign?: (connection: SqlConnection) => Promise<() => Promise<readonly string[]>>;
  /** What of a statement names something outside of our schema; null where it is in it. Absent as with `foreign`. */
  readonly outside?: (connection: SqlConnection) => Promise<(statement: string) => string | null>;
}

/** A file with the user's own tables. */
export interface Setup {
  readonly path: string;
  /** For facts: its name and the beginning of its SHA-256. */
  readonly fact: string;
  readonly statements: readonly string[];
}

/** Reads a file with the user's tables, in which `fair_bench` stands for the run's schema. Throws an InputError. */
export function readSetup(
  path: string,
  { title, splitter }: Pick<SetupDialect, 'title' | 'splitter'>,
): Setup {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new InputError(`setup ${path}: ${messageOf(cause)}; name a file with CREATE TABLE statements`, {
      cause,
    });
  }
  const script = inOurSchema(text).replaceAll(/^\\(?:un)?restrict\b.*$/gm, '');
  const statements = statementsIn(script, splitter);
  const command = statements.find((statement) => /^\\\w/.test(withoutComments(statement)));
  if (command !== undefined) {
    const word = withoutComments(command).split('\n')[0] ?? '';
    throw new InputError(`setup ${path}: ${word}: a command of psql, not of ${title}; leave it out`);
  }
  return {
    path,
    fact: `${path.slice(path.lastIndexOf('/') + 1)} ${hash('sha256', text).slice(0, 12)}`,
    statements,
  };
}

/** A body of several statements is one with what it belongs to: of a function (BEGIN ATOMIC), and of a trigger of SQLite's. */
const opensBody = /\bbegin\s+atomic\b|^\s*create\s+(?:temp\w*\s+)?trigger\b[^]*\bbegin\b/i;

function statementsIn(script: string, splitter: SetupDialect['splitter']): readonly string[] {
  const found: string[] = [];
  let body: string[] = [];
  for (const piece of splitQuery(script, splitters[splitter])) {
    const text = typeof piece === 'string' ? piece : piece.text;
    const plain = withoutComments(text);
    if (plain === '') continue;
    body.push(text);
    if (splitter !== 'mysql' && opensBody.test(body[0] ?? '') && !/^end$/i.test(plain)) continue;
    found.push(body.length === 1 ? text : `${body.join(';\n')};`);
    body = [];
  }
  // The server says what is wrong with a body without an end.
  return body.length === 0 ? found : [...found, body.join(';\n')];
}

/** Without comments before its first word; one that MySQL carries out is none. */
function withoutComments(statement: string): string {
  return statement.replace(/^(?:\s+|--.*(?:\n|$)|#.*(?:\n|$)|\/\*(?!!)[^]*?\*\/)*/, '').trim();
}

/** Everything is made in one transaction of ours, where the system has that. */
const ofTransaction = /^(?:begin|start\s+transaction|commit)(?:\s+(?:work|transaction))?$/i;
const ofServer =
  /^(?:create|alter|drop)\s+(?:or\s+replace\s+)?(database|role|user|group|tablespace|system|server)\b|^(use|attach|shutdown|rollback)\b|^set\s+(?:persist|global)\b/i;

/**
 * Makes the user's own tables in our schema, in place of the description's, and looks whether they hold the described rows. Rejects
 * with an InputError that names file, statement and remedy; where the file would change what is not ours, nothing is changed, or the
 * server has transactions without such statements and it is refused before.
 */
export async function setUpTables(
  connection: SqlConnection,
  { path, statements }: Setup,
  tables: readonly TableShape[],
  dialect: SetupDialect,
): Promise<void> {
  const { title, begin, end, foreign, outside } = dialect;
  const refuse = (what: string, cause?: unknown): never => {
    throw new InputError(`setup ${path}: ${what}`, cause === undefined ? {} : { cause });
  };
  const nameOutside = (await outside?.(connection)) ?? (() => null);
  for (const statement of statements) {
    const plain = withoutComments(statement);
    const name = ofServer.test(plain) ? firstLine(plain) : nameOutside(plain);
    if (name !== null) refuse(`${name}: is not of the schema ${ourSchema()}; leave it out`);
  }
  for (const text of begin) await connection.query(text, []);
  const changed = await foreign?.(connection);
  for (const statement of statements) {
    const plain = withoutComments(statement);
    if (ofTransaction.test(plain)) continue;
    await connection
      .query(statement, [])
      .catch((cause: unknown) =>
        refuse(`${title} refuses "${firstLine(plain)}": ${messageOf(cause)}; correct the SQL there`, cause),
      );
  }
  const others = (await changed?.()) ?? [];
  if (others.length > 0)
    refuse(
      `it changes what is not in the schema ${ourSchema()}: ${others.join(', ')}; write names without a schema, or use --schema with an empty one of that name`,
    );
  const lacks = lacksOf(tables, await connection.query(dialect.columns, []));
  if (lacks.length > 0) refuse(lacks.join('; '));
  for (const text of end) await connection.query(text, []);
}

function firstLine(statement: string): string {
  const line = statement.split('\n')[0] ?? '';
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** What the described rows cannot be in, and what they lack. */
function lacksOf(tables: readonly TableShape[], found: readonly (readonly unknown[])[]): readonly string[] {
  const made = new Map<string, Map<string, boolean>>();
  for (const [table, column, needed] of found) {
    const columns = made.get(String(table)) ?? new Map<string, boolean>();
    made.set(String(table), columns.set(String(column), Number(needed) === 1));
  }
  return tables.flatMap(({ name, storedAs = name, columns }) => {
    const own = made.get(storedAs);
    if (own === undefined) {
      const there = made.size === 0 ? 'no table' : [...made.keys()].join(', ');
      return [
        `it makes no table ${storedAs}, only ${there}; say storedAs in the table ${name} of the workload`,
      ];
    }
    const names = columns.map((column) => column.storedAs ?? column.name);
    const missing = names.filter((column) => !own.has(column));
    const needed = [...own].filter(([column, isNeeded]) => isNeeded && !names.includes(column));
    return [
      ...missing.map(
        (column) =>
          `its table ${storedAs} has no column ${column}, only ${[...own.keys()].join(', ')}; say storedAs('…', …) in the workload`,
      ),
      ...needed.map(
        ([column]) =>
          `its column ${storedAs}.${column} needs a value, and the workload has none; give it a default, or describe it`,
      ),
    ];
  });
}
