import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InputError, messageOf, type OperationShape } from '@fair-bench/contract';
import { withClient } from '../src/connection.ts';
import { installBinding } from '../src/install.ts';
import { boxes } from './support/boxes/workload.ts';
import { moving, nameOf, seedBoxes, soon, startServer, type TestServer } from './support/provision.ts';

let server: TestServer;
let folder: string;
let path: string;
let binding: string;

beforeAll(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), 'fair-bench-binding-'));
  path = join(folder, 'postgres.sql');
  binding = await readFile(join(boxes.folder, 'postgres.sql'), 'utf8');
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

async function install(text: string, shape = boxes.shape): Promise<string> {
  await writeFile(path, text);
  try {
    const config = { connectionString: server.service.url };
    await withClient(
      config,
      soon(),
      async (client) => await installBinding(client, path, { workload: shape, hasBatches: true, kept: [] }),
    );
    return 'installed';
  } catch (error) {
    return error instanceof InputError ? error.message : `no mistake of the input: ${messageOf(error)}`;
  }
}

test('a binding can be installed again while a session has prepared its functions', async () => {
  expect(await install(binding)).toBe('installed');
  await seedBoxes(server.service, 10, 1n);
  const session = await server.session();
  expect(nameOf(await session.execute(...moving(1, 2, 1n)))).toBe('applied');
  expect(await install(binding)).toBe('installed');
  expect(nameOf(await session.execute(...moving(2, 1, 1n)))).toBe('applied');
  await session.close();
});

test.each([
  [
    'SQL that fails, at its line and column',
    ['RETURN NULL;', 'RETRUN NULL;'],
    [
      ':12:3: operation move: PostgreSQL refuses it: syntax error at or near "RETRUN"',
      'correct the SQL there',
    ],
  ],
  [
    'a function that is missing, with the signature that it must have',
    ['fair_bench.move(', 'fair_bench.mvoe('],
    [
      'operation move: SELECT fair_bench.move($1::bigint, $2::bigint, $3::bigint): function fair_bench.move(bigint, bigint, bigint) does not exist',
      'CREATE FUNCTION fair_bench.move(source bigint, target bigint, amount bigint) RETURNS text',
    ],
  ],
  [
    'a column of another name',
    ['taken bigint,', 'token bigint,'],
    [
      'operation take: SELECT * FROM fair_bench.take($1::bigint[], $2::bigint[]): it returns (declined text, token bigint, empty boolean)',
      'RETURNS TABLE (declined text, taken bigint, empty boolean)',
    ],
  ],
  [
    'a statement on a column that is not there',
    ['WHERE box = $1', 'WHERE bax = $1'],
    ['operation labels: SELECT * FROM fair_bench.label', 'column "bax" does not exist'],
  ],
  [
    'an outcome that is not text',
    ["SELECT 'because'::text", 'SELECT 4'],
    ['operation whim: ', 'have it return nothing, or a reason as text'],
  ],
] as const)('%s', async (_, [before, after], expected) => {
  const message = await install(binding.replace(before, after));
  expect(message).toMatch(/^\/.*postgres\.sql:/);
  for (const part of expected) expect(message).toContain(part);
  // Nothing of it is installed.
  const session = await server.session();
  await seedBoxes(server.service, 10, 1n);
  expect(nameOf(await session.execute(...moving(1, 2, 1n)))).toBe('applied');
  await session.close();
});

test('the signature for a missing function can be created, also if an argument has the name of a column', async () => {
  const box = { name: 'box', type: { kind: 'key' } } as const;
  const peek: OperationShape = {
    name: 'peek',
    arguments: [{ kind: 'scalar', ...box }],
    reasons: [],
    returns: { kind: 'fields', fields: [box] },
    writes: false,
  };
  const shape = { ...boxes.shape, operations: [...boxes.shape.operations, peek] };
  const [signature = ''] = /CREATE FUNCTION .*/.exec(await install(binding, shape)) ?? [];
  expect(signature).toContain('peek(box_argument bigint)');
  const body = `LANGUAGE sql AS 'SELECT id FROM fair_bench.box WHERE id = box_argument';`;
  expect(await install(`${signature} ${body}\n${binding}`, shape)).toBe('installed');
});
