import { expect, test } from 'vitest';
import { ContentPool, operationOrigin, seededOrigin } from '../src/draw/content.ts';

const pool = new ContentPool(42n);
const writer = { kind: 'operation', session: 77, sequence: 4_000_000_000, place: 9 };

test('a text names its writer', () => {
  const text = pool.text(100, operationOrigin(77, 9), 4_000_000_000, 0x9abc_def0);
  expect(text).toMatch(/^[0-9A-Za-z]{100}$/);
  expect(pool.originOfText(text)).toEqual(writer);
  const seeded = pool.text(24, seededOrigin(3, 5), 4_294_967_295, 1);
  expect(pool.originOfText(seeded)).toEqual({ kind: 'seeded', table: 3, column: 5, row: 4_294_967_295 });
});

test('bytes name their writer', () => {
  const bytes = pool.writeBytes(new Uint8Array(50), operationOrigin(77, 9), 4_000_000_000, 5);
  expect(pool.originOfBytes(bytes)).toEqual(writer);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  expect(pool.originOfBytes(bytes)).toBeNull();
});

test('a torn, altered or cut text names nobody', () => {
  const [one, two] = [1, 2].map((sequence) => pool.text(100, 0, sequence, sequence * 7_919_191));
  for (const at of [16, 17, 40, 92])
    expect(pool.originOfText(`${one?.slice(0, at)}${two?.slice(at)}`)).toBeNull();
  expect(pool.originOfText(one?.slice(0, 99) ?? '')).toBeNull();
  expect(new ContentPool(43n).originOfText(one ?? '')).toBeNull();
});
