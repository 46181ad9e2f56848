import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildVectors, vectorsFolder } from './vectors.ts';

test.each(Object.entries(buildVectors()))('%s', (name, built) => {
  const kept: unknown = JSON.parse(readFileSync(new URL(name, vectorsFolder), 'utf8'));
  expect(JSON.parse(JSON.stringify(built))).toEqual(kept);
});
