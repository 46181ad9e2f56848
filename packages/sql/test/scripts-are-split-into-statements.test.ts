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

test('names of columns are no words of bodies', () => {
  const table = 'CREATE TABLE event (event TEXT, begin INTEGER, trigger TEXT)';
  const index = 'CREATE INDEX x ON event (begin)';
  for (const kind of ['postgres', 'mysql', 'sqlite'] as const)
    expect(textsOf(`${table};\n${index}`, kind)).toEqual([table, index]);
  const trigger =
    'CREATE TRIGGER t AFTER UPDATE OF begin ON event BEGIN UPDATE event SET begin = NEW.begin; SELECT begin FROM event; END';
  expect(textsOf(`${trigger};\n${index}`, 'sqlite')).toEqual([trigger, index]);
  const cases =
    'CREATE TRIGGER t AFTER INSERT ON event BEGIN SELECT 1, CASE WHEN 1 THEN 2 END, (CASE 1 WHEN 1 THEN 2 END); SELECT 3; END';
  expect(textsOf(`${cases};\n${index}`, 'sqlite')).toEqual([cases, index]);
  const routine = 'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT min(b.begin) FROM bookings AS b; END';
  expect(textsOf(`${routine};\nCOMMIT`, 'postgres')).toEqual([routine, 'COMMIT']);
});

test('what a dump of MariaDB says to its own client is a comment', () => {
  expect(wordsOf('/*M!999999\\- enable the sandbox mode */ \n/*M!100616 SET x = 1 */;', 'mysql')).toEqual([
    'set x = 1',
  ]);
});

test('a body without an end is refused: what follows would be in it', () => {
  const script = 'CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; CREATE INDEX x ON a (b)';
  expect(() => textsOf(script, 'sqlite')).toThrow(
    '"create trigger t after insert on" has a body without its END',
  );
});
