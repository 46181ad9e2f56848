import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { claimNames, loadClaim } from '../src/claims/load.ts';
import { claimSchema } from '@fair-bench/results';
import { figureTarget } from '../src/claims/figure-target.ts';
import { loadWorkload } from '../src/discover/workload.ts';
import { axisSettings } from '../src/plan/parameters.ts';
import { discover } from '../src/discover/workspace.ts';
import { present } from '../../analysis/test/support/trial-records.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const names = await claimNames(root);
const claims = await Promise.all(names.map((name) => loadClaim(root, name)));
const { connectors } = await discover(root);

test('the claims that this project was made for are there', () => {
  expect(names).toEqual(
    expect.arrayContaining([
      'convex-comparison',
      'keynote-2-2026-02',
      'keynote-2-2026-05',
      'pr-4432',
      'pr-4457',
    ]),
  );
});

test('the schema that editors check claims by is the one that the runner checks them by', () => {
  const written: unknown = JSON.parse(readFileSync(join(root, 'claims', 'claim.schema.json'), 'utf8'));
  expect(written).toEqual(z.toJSONSchema(claimSchema, { io: 'input' }));
});

describe.each(claims.map((claim) => [claim.name, claim] as const))('%s', (_name, claim) => {
  test('each ratio that it states is that of its figures, within a tenth', () => {
    const tpsOf = (id: string): number => present(claim.figures.find((figure) => figure.id === id)).tps;
    for (const { from, to, claimedRatio } of claim.statements) {
      const quotient = tpsOf(to) / tpsOf(from);
      expect(Math.abs(Math.log(quotient / claimedRatio))).toBeLessThan(Math.log(1.1));
    }
  });

  test('the rules that it breaks are in FAIR-BENCHMARK.md', () => {
    const rules = readFileSync(join(root, 'FAIR-BENCHMARK.md'), 'utf8');
    for (const { rule } of claim.breaks) expect(rules).toContain(`### ${rule}. `);
  });

  test('each figure has a target here, or a reason why it has none', async () => {
    const workload = await loadWorkload(root, claim.workload);
    for (const figure of claim.figures) {
      const target = figureTarget(figure, claim.workload, connectors, axisSettings(workload));
      expect(target.known || target.notes.length > 0).toBe(true);
    }
  });
});

test('what a claim had and a connector cannot be is said, and left when the rest still is the same thing', () => {
  const figure = { id: 'a', label: 'a', tps: 1, notes: [] };
  const settled = figureTarget(
    { ...figure, target: 'sqlite-drizzle[client=node,depth=1,isolation=serializable]' },
    'transfer',
    connectors,
    [],
  );
  expect(settled).toMatchObject({ known: true, end: { given: { client: 'node', depth: '1' } } });
  expect(settled.notes.join()).toContain('isolation serializable, which the claim had');
  const unknown = figureTarget({ ...figure, target: 'nosuch-sdk[depth=1]' }, 'transfer', connectors, []);
  expect(unknown).toMatchObject({ known: false, notes: ['there is no connector nosuch-sdk here'] });
});

describe('a claim that is none', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'fair-bench-claims-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  mkdirSync(join(scratch, 'claims'));
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(scratch, 'claims', `${name}.json`), JSON.stringify(value));
  const [claim] = claims;

  test('is refused with the names that there are', async () => {
    await expect(loadClaim(root, 'pr-4423')).rejects.toThrow(
      /--claim: got "pr-4423".*did you mean "pr-4432"/,
    );
  });

  test('is refused when a statement rests on a figure that is not there', async () => {
    const statements = [{ statement: 'a', claimedRatio: 2, from: 'nowhere', to: 'nowhere' }];
    write('broken', { ...claim, name: 'broken', statements });
    await expect(loadClaim(scratch, 'broken')).rejects.toThrow(
      /claims\/broken\.json: statements\.0: no figure has the id "nowhere"/,
    );
  });

  test('is refused under the name of another file', async () => {
    write('other', claim);
    await expect(loadClaim(scratch, 'other')).rejects.toThrow(/claims\/other\.json: name: got/);
  });
});
