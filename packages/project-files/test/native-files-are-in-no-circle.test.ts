import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { circleIn, usesOf, usesOfCrate } from './support/rust-modules.ts';

const native = fileURLToPath(new URL('../../../native', import.meta.url));
const crates = globSync('*/Cargo.toml', { cwd: native }).map((path) => path.split('/')[0] ?? '');

test.each(crates)('%s: no file uses, over any way, one that uses it', (crate) => {
  const uses = usesOfCrate(`${native}/${crate}`);
  expect(uses.size).toBeGreaterThan(0);
  expect(circleIn(uses)).toBe(null);
});

test('a circle is found by `use`, by a path in the code, and over a parent', () => {
  const files = new Map([
    ['lib.rs', 'mod a; mod b; pub use a::A;'],
    ['a.rs', 'use std::fmt; use crate::{b::{self, inner::Inner}};'],
    ['b/mod.rs', '//! Not crate::a.\nmod inner; // nor crate::a\nfn f() { g("crate::a") }'],
    ['b/inner.rs', 'use super::Other;'],
  ]);
  expect(circleIn(usesOf(files))).toBe(null);
  const circleOf = (file: string, text: string) => circleIn(usesOf(new Map([...files, [file, text]])));
  expect(circleOf('b/mod.rs', 'mod inner; fn f() { inner::g() }')).toEqual([
    'b/mod.rs',
    'b/inner.rs',
    'b/mod.rs',
  ]);
  expect(circleOf('b/inner.rs', 'fn f() -> super::super::a::A {}')).toEqual(['a.rs', 'b/inner.rs', 'a.rs']);
});
