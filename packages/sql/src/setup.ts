import { readFileSync } from 'node:fs';
import {
  type ColumnShape,
  InputError,
  inOurSchema,
  messageOf,
  ourSchema,
  type TableShape,
} from '@fair-bench/contract';
import { type Dialect, nameOf, type SqlConnection } from './dialect.ts';
import { type ScriptKind, type Statement, statementsOfScript } from './script.ts';

/** How a system makes the tables of a file of the user's. */
export interface SetupDialect {
  readonly title: string;
  readonly kind: ScriptKind;
  /** Statements before the file's, such as those that make our schema the one of names without a schema; and after them. */
  readonly begin: readonly string[];
  readonly end: readonly string[];
  /** A query with a row for each column in our schema: table, column, 1 where a row needs a value for it, and type. */
  readonly columns: string;
  /** By what the description has, the types of columns that hold it exactly; null where any column holds anything. */
  readonly types: Readonly<Record<Described, RegExp>> | null;
  /** What keeps a server of the user's as it is; absent where the system has none. */
  readonly theirs?: {
    /** What of a statement is never carried out there, such as a word about the server; null for nothing. */
    readonly refuses: (statement: Statement) => string | null;
    /** What of a statement names something outside of our schema; null where it is in it. */
    readonly outside?: (connection: SqlConnection) => Promise<(words: readonly string[]) => string | null>;
    /** What was changed outside of our schema in this transaction, as a question before and after it. */
    readonly changes?: (connection: SqlConnection) => Promise<() => Promise<readonly string[]>>;
  };
}

/** What a described column has: its type, or how it is stored. */
type Described = ColumnShape['type']['kind'] | 'decimal' | 'timestamp' | 'uuid';

/** A file with the user's own tables. */
export interface Setup {
  readonly path: string;
  readonly statements: readonly Statement[];
}

/** Reads a file with the user's tables, in which `fair_bench` stands for the run's schema. Throws an InputError. */
export function readSetup(path: string, { title, kind }: Pick<SetupDialect, 'title' | 'kind'>): Setup {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw refused(path, `${messageOf(cause)}; name a file with CREATE TABLE statements`, cause);
  }
  // What dumps of PostgreSQL have against what is in their rows.
  const script = inOurSchema(text).replaceAll(/^\\(?:un)?restrict\b.*$/gm, '');
  let statements: readonly Statement[];
  try {
    statements = statementsOfScript(script, kind);
  } catch (cause) {
    throw refused(path, `${messageOf(cause)}; correct the SQL there`, cause);
  }
  const isCommand = ({ words: [first] }: Statement): boolean => kind === 'postgres' && first === '\\';
  const command = statements.find(isCommand);
  if (command !== undefined)
    throw refused(path, `${firstLine(command)}: a command of psql, not of ${title}; leave it out`);
  return { path, statements };
}

function refused(path: string, what: string, cause?: unknown): InputError {
  return new InputError(`setup ${path}: ${what}`, cause === undefined ? {} : { cause });
}

/** From its first word on. */
function firstLine({ text }: Statement): string {
  const line = text.replace(/^(?:\s+|--.*\n|\/\*[^]*?\*\/)*/, '').split('\n')[0] ?? '';
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** Everything is made in one transaction of ours, where the system has that. */
const beginsOrEnds = /^(?:begin|start transaction|commit|end)(?: work| transaction)?$/;

/**
 * Makes the user's own tables in our schema, in place of the description's, and looks whether they hold the described rows. Rejects
 * with an InputError that names file, statement and remedy. On a server of the user's (`isTheirs`) nothing outside of our schema is changed then.
 */
export async function setUpTables(
  connection: SqlConnection,
  { path, statements }: Setup,
  tables: readonly TableShape[],
  dialect: SetupDialect,
  isTheirs: boolean,
): Promise<void> {
  const { title, begin, end } = dialect;
  const theirs = isTheirs ? dialect.theirs : undefined;
  const made = statements.filter(({ words }) => !beginsOrEnds.test(words.join(' ')));
  const outside = await theirs?.outside?.(connection);
  for (const statement of made) {
    const what = theirs?.refuses(statement) ?? outside?.(statement.words) ?? null;
    if (what === null) continue;
    const where = `not of the schema ${ourSchema()} alone; leave it out`;
    throw refused(path, `"${firstLine(statement)}": ${what}, which is ${where}`);
  }
  for (const text of begin) await connection.query(text, []);
  const changes = await theirs?.changes?.(connection);
  for (const statement of made) {
    await connection.query(statement.text, []).catch((cause: unknown) => {
      const what = `${title} refuses "${firstLine(statement)}": ${messageOf(cause)}; correct the SQL there`;
      throw refused(path, what, cause);
    });
  }
  const others = (await changes?.()) ?? [];
  if (others.length > 0) {
    const remedy = 'write names without a schema, or use --schema with an empty one of that name';
    throw refused(
      path,
      `it changes what is not in the schema ${ourSchema()}: ${others.join(', ')}; ${remedy}`,
    );
  }
  const lacks = lacksOf(tables, await madeTables(connection, dialect), dialect.types);
  if (lacks.length > 0) throw refused(path, lacks.join('; '));
  for (const text of end) await connection.query(text, []);
}

interface MadeColumn {
  readonly name: string;
  /** Whether a row needs a value for it. */
  readonly isNeeded: boolean;
  readonly type: string;
}

async function madeTables(
  connection: SqlConnection,
  { columns }: Pick<SetupDialect, 'columns'>,
): Promise<ReadonlyMap<string, readonly MadeColumn[]>> {
  const made = new Map<string, MadeColumn[]>();
  for (const [table, name, needed, type] of await connection.query(columns, [])) {
    const column = { name: String(name), isNeeded: Number(needed) === 1, type: String(type).toLowerCase() };
    made.set(String(table), [...(made.get(String(table)) ?? []), column]);
  }
  return made;
}

/** What the described rows cannot be in, and what they lack. */
function lacksOf(
  tables: readonly TableShape[],
  made: ReadonlyMap<string, readonly MadeColumn[]>,
  types: SetupDialect['types'],
): readonly string[] {
  return tables.flatMap(({ name, storedAs = name, columns }) => {
    const own = made.get(storedAs);
    if (own === undefined) {
      const there = made.size === 0 ? 'none' : [...made.keys()].join(', ');
      return [
        `it makes no table ${storedAs}, only ${there}; say storedAs in the table ${name} of the workload`,
      ];
    }
    const lacks = columns.flatMap((column) => {
      const stored = column.storedAs ?? column.name;
      const found = own.find((one) => one.name === stored);
      if (found === undefined) {
        const there = own.map((one) => one.name).join(', ');
        return [
          `its table ${storedAs} has no column ${stored}, only ${there}; say storedAs('…', …) in the workload`,
        ];
      }
      const described = column.stored?.kind ?? column.type.kind;
      if (types === null || (types[described].test(found.type) && hasDigits(column, found))) return [];
      return [
        `its column ${storedAs}.${stored} is ${found.type}, in which ${described} of the workload is not exact; describe it as what it is`,
      ];
    });
    const names = columns.map((column) => column.storedAs ?? column.name);
    const needed = own.filter((one) => one.isNeeded && !names.includes(one.name));
    return [
      ...lacks,
      ...needed.map(
        (one) =>
          `its column ${storedAs}.${one.name} needs a value, and the workload has none; give it a default, or describe it`,
      ),
    ];
  });
}

/** Whether a decimal has no more digits after the point than the column that is to hold it. */
function hasDigits({ stored }: ColumnShape, { type }: MadeColumn): boolean {
  const scale = /^(?:numeric|decimal)(?:\((\d+)\))?$/.exec(type);
  if (stored?.kind !== 'decimal') return true;
  return scale === null ? stored.scale === 0 : Number(scale[1] ?? Infinity) >= stored.scale;
}

/** The rows of the user's tables that the workload does not describe: nothing may add to them, or trials would begin from different states. */
export interface OtherRows {
  /** The tables' names. */
  readonly names: readonly string[];
  /** Rejects with the table where it has other than in the beginning. */
  check(connection: SqlConnection): Promise<void>;
}

/** What the file left in them. */
export async function otherRowsIn(
  connection: SqlConnection,
  described: readonly TableShape[],
  dialect: SetupDialect,
  { schema, quote }: Pick<Dialect, 'schema' | 'quote'>,
): Promise<OtherRows> {
  const known = new Set(described.map(({ name, storedAs = name }) => storedAs));
  const others = [...(await madeTables(connection, dialect)).keys()].filter((name) => !known.has(name));
  const naming = { ...(schema === undefined ? {} : { schema }), ...(quote === undefined ? {} : { quote }) };
  const countOf = async (through: SqlConnection, name: string): Promise<number> => {
    const [row] = await through.query(`SELECT count(*) FROM ${nameOf({ name }, naming)}`, []);
    return Number(row?.[0]);
  };
  const before = new Map<string, number>();
  for (const name of others) before.set(name, await countOf(connection, name));
  return {
    names: others,
    async check(through) {
      for (const [name, count] of before) {
        const now = await countOf(through, name);
        if (now === count) continue;
        throw new Error(
          `the table ${name}, which the workload does not describe, has ${now} rows and not the ${count} of its file: the next trial would begin from there; describe it (rows: 0), or leave out what writes to it`,
        );
      }
    },
  };
}
