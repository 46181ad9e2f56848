import { ourSchema } from '@fair-bench/contract';
import { markTables, type SetupDialect, type SqlConnection, type SqlSystem } from '@fair-bench/sql';

/** How a server of the family makes the tables of a user's file. */
export const setupOf = (title: string): NonNullable<SqlSystem['setup']> => ({
  dialect: () => setupDialect(title),
  sessions: "SET foreign_key_checks = 0, time_zone = '+00:00'",
});

/** How the tables of a user's file are made. No statement that makes a table can be undone: so none is carried out that names another database. */
function setupDialect(title: string): SetupDialect {
  const schema = ourSchema();
  const marks = markTables.map((name) => `'${name}'`).join(', ');
  return {
    title,
    splitter: 'mysql',
    // In the order of the file, as its own dumps are read.
    begin: [`USE \`${schema}\``, 'SET foreign_key_checks = 0'],
    end: [],
    columns: `SELECT table_name, column_name, is_nullable = 'NO' AND column_default IS NULL
        AND extra NOT LIKE '%auto_increment%' AND extra NOT LIKE '%GENERATED%'
      FROM information_schema.columns WHERE table_schema = '${schema}' AND table_name NOT IN (${marks})
      ORDER BY table_name, ordinal_position`,
    outside: async (connection) => await othersIn(connection, schema),
  };
}

const texts = /'(?:[^'\\]|\\[^]|'')*'|"(?:[^"\\]|\\[^]|"")*"/g;

async function othersIn(
  connection: SqlConnection,
  schema: string,
): Promise<(statement: string) => string | null> {
  const rows = await connection.query(
    `SELECT schema_name FROM information_schema.schemata WHERE schema_name <> '${schema}'`,
    [],
  );
  const names = new Set(rows.map(([name]) => String(name).toLowerCase()));
  return (statement) => {
    const before = statement.replaceAll(texts, "''").matchAll(/(?<![\w$.`])(?:`([^`]+)`|([\w$]+))\s*\./g);
    const found = [...before].find(([, quoted, plain]) => names.has((quoted ?? plain ?? '').toLowerCase()));
    return found === undefined
      ? null
      : `the database ${found[1] ?? found[2]} in "${statement.split('\n')[0]}"`;
  };
}
