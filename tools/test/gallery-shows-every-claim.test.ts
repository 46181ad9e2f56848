import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { renderGallery } from '@fair-bench/report/html';
import { claimNames, loadClaim } from '@fair-bench/runner';
import { expect, test } from 'vitest';
import { claim as measured, explanation } from '../../packages/report/test/support/large-run.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const claims = await Promise.all((await claimNames(root)).map(async (name) => await loadClaim(root, name)));
const run = {
  id: 'run-1',
  startedAt: '2026-11-20T10:00:00.000Z',
  command: 'npm run explain',
  environment: { cpu: { model: 'Example CPU', cores: 2 }, fileSystem: { type: 'ext4', directory: '' } },
};

test('docs/gallery matches claims/: npm run gallery renews it', async () => {
  const page = await readFile(new URL('../../docs/gallery/index.html', import.meta.url), 'utf8');
  for (const { name, breaks, statements } of claims) {
    expect(page).toContain(`id="${name}"`);
    expect(statements).not.toHaveLength(0);
    for (const { rule } of breaks) expect(page).toContain(`<li>${rule}: `);
  }
  expect(page).toContain("default-src 'none'");
});

test('a measured claim has its verdict, command and waterfall; an unmeasured one has the command to measure it', () => {
  const exhibits = claims.map((claim, index) => ({
    claim,
    verdict: index === 0 ? { claim: measured, explanation, run } : null,
  }));
  const page = renderGallery(exhibits);
  expect(page).toContain(`<strong>${measured.verdict}</strong>`);
  expect(page).toContain('npm run explain');
  expect(page.match(/role="img"/g)).toHaveLength(1);
  expect(page.match(/Not yet: <code>npm run bench -- --mode published --claim/g)).toHaveLength(
    claims.length - 1,
  );
});
