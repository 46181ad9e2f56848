import { ourSchema } from '@fair-bench/contract';
import {
  markTables,
  type SetupDialect,
  type SqlConnection,
  type SqlSystem,
  type Statement,
} from '@fair-bench/sql';

/** How a server of the family makes the tables of a user's file. */
export const setupOf = (title: string): NonNullable<SqlSystem['setup']> => ({
  dialect: () => setupDialect(title),
  sessions: "SET foreign_key_checks = 0, time_zone = '+00:00'",
});

/** No statement that makes a table can be undone: on a user's server none is carried out that is about the server or names another database. */
function setupDialect(title: string): SetupDialect {
  const schema = ourSchema();
  const marks = markTables.map((name) => `'${name}'`).join(', ');
  return {
    title,
    kind: 'mysql',
    // In the order of the file, as its own dumps are read.
    begin: [`USE \`${schema}\``, 'SET foreign_key_checks = 0'],
    end: ['COMMIT'],
    columns: `SELECT table_name, column_name, is_nullable = 'NO' AND column_default IS NULL
        AND extra NOT LIKE '%auto_increment%' AND extra NOT LIKE '%GENERATED%',
        CONCAT(data_type, COALESCE(CONCAT('(', COALESCE(numeric_scale, datetime_precision), ')'), ''))
      FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = '${schema}' AND table_type LIKE '%TABLE' AND table_name NOT IN (${marks})
      ORDER BY table_name, ordinal_position`,
    types: {
      key: integers,
      int64: integers,
      bool: integers,
      decimal: /^(?:(?:big|medium|small|tiny)?int|decimal)\b/,
      text: /text|char|^enum/,
      bytes: /blob|binary/,
      timestamp: /^(?:datetime|timestamp)\(6\)$/,
      uuid: /^(?:binary|uuid)/,
    },
    theirs: { refuses, outside: async (connection) => await othersBeside(connection, schema) },
  };
}

const integers = /^(?:big|medium|small|tiny)?int\(0\)$|^decimal\(0\)$/;

const carriedOut = new Set(
  'create alter drop insert replace update delete truncate set select lock unlock analyze'.split(' '),
);
const ofServer = new Set(
  'database schema user role server tablespace logfile instance resource event'.split(' '),
);
const never = new Set('prepare execute outfile dumpfile global persist persist_only password'.split(' '));

/** They change what is a text and what a name: then this is no longer what the server reads. */
const otherLexing = /ansi|no_backslash_escapes|oracle|db2|maxdb|mssql|postgresql/i;

function refuses({ words, text }: Statement): string | null {
  const [first = '', ...rest] = words;
  if (first === 'set' && rest.includes('role')) return 'SET ROLE';
  if (rest.includes('sql_mode') && otherLexing.test(text)) return 'a sql_mode with other quotes';
  if (!carriedOut.has(first)) return first.toUpperCase();
  const object = rest.find((word) => !['or', 'replace', 'definer', 'if', 'not', 'exists'].includes(word));
  if (['create', 'alter', 'drop'].includes(first) && object !== undefined && ofServer.has(object))
    return `${first} ${object}`.toUpperCase();
  // As names of columns they are no matter.
  const isAction = ['set', 'select'].includes(first) || rest.includes('begin');
  return (isAction ? rest.find((word) => never.has(word)) : undefined)?.toUpperCase() ?? null;
}

async function othersBeside(
  connection: SqlConnection,
  schema: string,
): Promise<(words: readonly string[]) => string | null> {
  const rows = await connection.query(
    `SELECT schema_name FROM information_schema.schemata WHERE schema_name <> '${schema}'`,
    [],
  );
  const [mode] = await connection.query('SELECT @@sql_mode', []);
  if (otherLexing.test(String(mode?.[0]))) return () => `on a server with the sql_mode ${String(mode?.[0])}`;
  const names = new Set(rows.map(([name]) => String(name).toLowerCase()));
  return (words) => {
    const found = words.find(
      (word, place) => words[place + 1] === '.' && words[place - 1] !== '.' && names.has(word.toLowerCase()),
    );
    return found === undefined ? null : `the database ${found} (an alias must not have the name of one)`;
  };
}
