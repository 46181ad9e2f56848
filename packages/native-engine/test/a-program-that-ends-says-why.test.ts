import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Control } from '../src/control.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'control-'));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

async function program(script: string): Promise<string> {
  const path = join(folder, `program-${script.length}`);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

test('a program that ends without an answer rejects with what it said', async () => {
  const control = new Control('mydb', await program('echo "the file is locked" >&2; exit 3'));
  await expect(control.ask({ do: 'close' })).rejects.toThrow(
    'mydb: its program has ended: the file is locked',
  );
  await expect(control.ask({ do: 'close' })).rejects.toThrow('the file is locked');
  await control.close();
});

test('a program that is not there rejects with its path', async () => {
  const control = new Control('mydb', join(folder, 'missing'));
  await expect(control.ask({ do: 'close' })).rejects.toThrow(/mydb: its program has ended: spawn .*missing/);
  await control.close();
});

test('answers belong to the commands in their order, and an error is the reason', async () => {
  const answers = `read a; echo '{"ok":[1]}'; read b; echo '{"error":"no such table"}'; read c; echo nonsense; cat`;
  const control = new Control('mydb', await program(answers));
  const [first, second, third] = await Promise.allSettled(
    [1, 2, 3].map(async (table) => await control.ask({ table })),
  );
  expect(first).toEqual({ status: 'fulfilled', value: [1] });
  expect(second).toMatchObject({ reason: new Error('mydb: no such table') });
  expect(third).toMatchObject({ reason: new Error('mydb: its program answered nonsense') });
  await control.close();
});
