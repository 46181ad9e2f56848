import { expect, test } from 'vitest';
import { type ScriptKind, statementsOfScript } from '../src/script.ts';

const textsOf = (script: string, kind: ScriptKind) =>
  statementsOfScript(script, kind).map(({ text }) => text);
const wordsOf = (script: string, kind: ScriptKind) =>
  statementsOfScript(script, kind).map(({ words }) => words.join(' '));

test('a semicolon in a text, a name, a comment or a body ends no statement', () => {
  const script = `-- the shop's; tables
CREATE TABLE "a;b" (t text DEFAULT 'x;''y', path text DEFAULT 'c:\\'); /* one; /* two; */ still */
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $body$ BEGIN RETURN 1; END; $body$;
CREATE FUNCTION g(a int) RETURNS int LANGUAGE sql
BEGIN ATOMIC SELECT CASE WHEN a > 1 THEN 1 END; SELECT a; END;
INSERT INTO t VALUES (E'it\\'s; ' 'all'), ($$;$$)`;
  expect(textsOf(script, 'postgres').map((text) => text.split('\n').at(-1)?.slice(0, 24))).toEqual([
    'CREATE TABLE "a;b" (t te',
    'CREATE FUNCTION f() RETU',
    'BEGIN ATOMIC SELECT CASE',
    "INSERT INTO t VALUES (E'",
  ]);
});

test('words are without comments and texts, and names without quotes', () => {
  expect(wordsOf(`/* a /* b */ c */ ALTER ROLE "App" SET x = 'it''s' -- all's well`, 'postgres')).toEqual([
    "alter role App set x = ''",
  ]);
  expect(wordsOf("/*!40000 DROP DATABASE IF EXISTS `shop`*/; # the shop's\nSELECT 1", 'mysql')).toEqual([
    'drop database if exists shop',
    'select 1',
  ]);
});

test('triggers of SQLite end with their END, whatever stands in them', () => {
  const trigger = (name: string) =>
    `-- counts\nCREATE TRIGGER ${name} AFTER INSERT ON sales BEGIN\n  UPDATE vendors SET pending = CASE WHEN 1 THEN 2 END;\n  SELECT 1;\nEND`;
  const script = `BEGIN;\nCREATE TABLE sales (begin_at INTEGER, beginning_balance INTEGER);\n${trigger('a')};\nCREATE INDEX x ON sales (begin_at);\n${trigger('b')};\nCOMMIT;`;
  expect(textsOf(script, 'sqlite').map((text) => text.split('\n')[0])).toEqual([
    'BEGIN',
    'CREATE TABLE sales (begin_at INTEGER, beginning_balance INTEGER)',
    '-- counts',
    'CREATE INDEX x ON sales (begin_at)',
    '-- counts',
    'COMMIT',
  ]);
});

test('bodies of MySQL end with their END, with DELIMITER and without', () => {
  const body = `CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW BEGIN
  IF NEW.b < 1 THEN SET NEW.b = 1; END IF;
  CASE NEW.b WHEN 1 THEN SET NEW.b = 2; END CASE;
  WHILE NEW.b < 3 DO SET NEW.b = NEW.b + 1; END WHILE;
END`;
  const first = "CREATE TABLE a (b int DEFAULT 1, c varchar(9) DEFAULT 'x\\';y');";
  const last = "INSERT INTO a VALUES (1, 'q')";
  const plain = textsOf(`${first}\n${body};\n${last}`, 'mysql');
  expect(plain).toHaveLength(3);
  expect(textsOf(`${first}\nDELIMITER ;;\n${body} ;;\nDELIMITER ;\n${last}`, 'mysql')).toEqual(plain);
});

test('a body without an end is one with what follows, and nothing is lost', () => {
  const script = 'CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; CREATE INDEX x ON a (b)';
  expect(textsOf(script, 'sqlite')).toEqual([script]);
});
