import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { pathOf } from './support/project-file.ts';

test('a path that holds no test ends test:only with one line, before anything runs', () => {
  const words = ['test:only', '--', 'packages/runner/test/docs-are', 'packages/nothing'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [pathOf('scripts/run.mjs'), ...words], {
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'fair-bench: no test in "packages/nothing": tests are files like packages/runner/test/docs-are-true.test.ts\n',
  });
});
