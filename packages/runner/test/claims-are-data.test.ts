import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { knownLosses } from '../src/claims/known-losses.ts';
import { claimNames, loadClaim } from '../src/claims/load.ts';
import { type Claim, claimSchema } from '@fair-bench/results';
import { figureReadings, figureTarget } from '../src/claims/figure-target.ts';
import { loadWorkload } from '../src/discover/workload.ts';
import { axisSettings } from '../src/plan/parameters.ts';
import { discover } from '../src/discover/workspace.ts';
import { present } from '@fair-bench/analysis/test-support';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const names = await claimNames(root);
const claims = await Promise.all(names.map((name) => loadClaim(root, name)));
const { connectors } = await discover(root);
const transfer = await loadWorkload(root, 'transfer');

test('the claims that this project is about exist', () => {
  expect(names).toEqual(
    expect.arrayContaining([
      'basin-steel',
      'convex-comparison',
      'keynote-2-2026-02',
      'keynote-2-2026-05',
      'pgdog',
      'pr-4432',
      'pr-4457',
      'redb-readme',
      'twicedb',
    ]),
  );
});

test('published losses name exact versions and their source; a broken file is named', async () => {
  const losses = await knownLosses(root);
  expect(losses.map(({ system, versions }) => [system, versions])).toContainEqual(['SpacetimeDB', ['2.8.3']]);
  const folder = mkdtempSync(join(tmpdir(), 'fair-bench-losses-'));
  try {
    mkdirSync(join(folder, 'claims', 'known-losses'), { recursive: true });
    writeFileSync(join(folder, 'claims', 'known-losses', 'broken.json'), '{"system":"X","versions":[]}');
    await expect(knownLosses(folder)).rejects.toThrow(/known-losses\/broken\.json: versions/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('editors and runner check claims by the same schema', () => {
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
      for (const reading of figureReadings(figure)) {
        const target = figureTarget(figure, reading, claim.workload, connectors, axisSettings(workload));
        expect(target.end !== null || target.notes.length > 0).toBe(true);
      }
    }
  });
});

describe('what the sources say and the claims once did not', () => {
  const figureOf = (claim: string, id: string): Claim['figures'][number] =>
    present(claims.find(({ name }) => name === claim)?.figures.find((one) => one.id === id));

  test.each([
    ['postgres-storedproc-a0.5', 3880],
    ['postgres-drizzle-a0.5', 1838],
    ['postgres-storedproc-a1.5', 3747],
    ['postgres-drizzle-a1.5', 1357],
  ])("pull request 4432's %s was measured with synchronous_commit=off", (id, tps) => {
    const figure = figureOf('pr-4432', id);
    expect(figure).toMatchObject({ tps });
    expect(figure.target).toContain('durability=async');
  });

  test.each([
    ['postgres-storedproc-fair-a0.5', 3387],
    ['postgres-drizzle-fair-a0.5', 1902],
    ['postgres-storedproc-fair-a1.5', 277],
    ['postgres-drizzle-fair-a1.5', 249],
  ])('its durable figure %s is a claim too', (id, tps) => {
    const figure = figureOf('pr-4432', id);
    expect(figure).toMatchObject({ tps });
    expect(figure.where).toContain('fourth turn');
    expect(figure.target).toContain('durability=durable');
  });

  test('its second turn has SpacetimeDB pipelined and sequential', () => {
    const second = claims
      .find(({ name }) => name === 'pr-4432')
      ?.figures.filter(({ where }) => where.startsWith('second turn'));
    expect(second?.map(({ tps }) => tps)).toEqual([59_103, 62_586, 11_261]);
  });

  test.each([
    ['pr-4432', 'spacetimedb-rust-a0.5', /16,384 for each connection/],
    ['pr-4432', 'postgres-rust-a1.5', /1,024 for each connection/],
    ['keynote-2-2026-02', 'spacetimedb-low', /16,384 for each connection/],
  ])('%s: the depth of %s is per connection, and its note names the replacement', (name, id, had) => {
    const { notes } = figureTarget(figureOf(name, id), null, 'transfer', connectors, axisSettings(transfer));
    expect(notes.join()).toMatch(/depth \d+ replaces /);
    expect(notes.join()).toMatch(had);
  });

  test('the keynote of February counts one system at the server', () => {
    const keynote = claims.find(({ name }) => name === 'keynote-2-2026-02');
    expect(keynote?.breaks.map(({ rule }) => rule)).toContain('F8');
  });
});

describe('what a source leaves open', () => {
  const either = { readings: ['durability=durable', 'durability=async'], why: 'it does not say' };
  const figure = { id: 'a', label: 'a', tps: 1, where: 'table 1', notes: [] };

  test.each([
    ['pr-4432', ['postgres-rust-a0.5', 'postgres-rust-a1.5']],
    ['keynote-2-2026-02', ['postgres-low', 'postgres-high']],
  ])('%s: PostgreSQL is measured both durable and async', (name, ids) => {
    const claim = present(claims.find((one) => one.name === name));
    for (const id of ids) {
      const open = present(claim.figures.find((one) => one.id === id));
      const durabilities = figureReadings(open).map((reading) => {
        const target = figureTarget(open, reading, 'transfer', connectors, axisSettings(transfer));
        expect(target.notes.join()).toContain('one reading, because');
        return target.end?.given['durability'];
      });
      expect(durabilities).toEqual(['durable', 'async']);
    }
  });

  test('is nothing of PostgreSQL in May 2026: the same commit as the figures took synchronous_commit=off away', () => {
    const { figures, settings } = present(claims.find(({ name }) => name === 'keynote-2-2026-05'));
    const postgres = figures.filter(({ target }) => target?.startsWith('postgres-') === true);
    expect(postgres.length).toBeGreaterThan(3);
    for (const open of postgres) {
      expect(open.target).toContain('durability=durable');
      expect(open.either).toBeUndefined();
    }
    const entry = settings.find(
      ({ setting, targets }) => setting === 'durability' && targets?.includes('postgres-drizzle') === true,
    );
    expect(entry?.is).toBe('implied');
  });

  test('is measured with the rest of the settings as they are', () => {
    const open = { ...figure, target: 'postgres-driver[client=native,depth=64]', either };
    const target = figureTarget(open, 'durability=async', 'transfer', connectors, []);
    expect(target).toMatchObject({
      end: {
        text: 'postgres-driver[client=native,depth=64,durability=async]',
        given: { client: 'native', depth: '64', durability: 'async' },
      },
    });
  });

  test('is not measured in a reading that the target lacks', () => {
    const open = { ...figure, target: 'sqlite-drizzle[depth=1]', either };
    const target = figureTarget(open, 'isolation=snapshot', 'transfer', connectors, []);
    expect(target).toMatchObject({ end: null });
    expect(target.notes[0]).toBe('sqlite-drizzle cannot have isolation snapshot');
  });
});

test('a setting of a claim that a connector lacks is reported and left out if the rest is comparable', () => {
  const figure = { id: 'a', label: 'a', tps: 1, where: 'table 1', notes: [] };
  const settled = figureTarget(
    { ...figure, target: 'sqlite-drizzle[client=node,depth=1,isolation=serializable]' },
    null,
    'transfer',
    connectors,
    [],
  );
  expect(settled).toMatchObject({ end: { given: { client: 'node', depth: '1' } } });
  expect(settled.notes.join()).toContain('the claim’s isolation serializable is unavailable');
  const unknown = figureTarget(
    { ...figure, target: 'nosuch-sdk[depth=1]' },
    null,
    'transfer',
    connectors,
    [],
  );
  expect(unknown).toMatchObject({ end: null, notes: ['there is no connector nosuch-sdk here'] });
});

describe('an invalid claim', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'fair-bench-claims-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  mkdirSync(join(scratch, 'claims'));
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(scratch, 'claims', `${name}.json`), JSON.stringify(value));
  const claim = claims.find(({ name }) => name === 'convex-comparison');

  test('is refused with the existing names', async () => {
    await expect(loadClaim(root, 'pr-4423')).rejects.toThrow(
      /--claim: got "pr-4423".*did you mean "pr-4432"/,
    );
  });

  test('is refused when a statement uses a missing figure', async () => {
    const [one] = present(claim).statements;
    const statements = [{ ...one, from: 'nowhere', to: 'nowhere' }];
    write('broken', { ...claim, name: 'broken', statements });
    await expect(loadClaim(scratch, 'broken')).rejects.toThrow(
      /claims\/broken\.json: statements\.0: no figure has the id "nowhere"/,
    );
  });

  test('is refused when a figure does not name its place', async () => {
    const figures = present(claim).figures.map(({ where: _where, ...figure }) => figure);
    write('nowhere', { ...claim, name: 'nowhere', figures });
    await expect(loadClaim(scratch, 'nowhere')).rejects.toThrow(/figures\.0\.where/);
  });

  test('is refused when nothing says where a setting comes from, or an entry marks none', async () => {
    const settings = present(claim).settings.filter(({ setting }) => setting !== 'depth');
    write('unmarked', { ...claim, name: 'unmarked', settings });
    await expect(loadClaim(scratch, 'unmarked')).rejects.toThrow(
      /settings: nothing says whether depth=1 of convex-http is stated, implied or assumed/,
    );
    const more = [...present(claim).settings, { setting: 'batch', is: 'stated', where: 'table 1' }];
    write('idle', { ...claim, name: 'idle', settings: more });
    await expect(loadClaim(scratch, 'idle')).rejects.toThrow(/no figure has the setting batch so/);
  });

  test('is refused when its target lacks the replacement that it names', async () => {
    const instead = [{ setting: 'depth', claimed: '16,384', used: '99', why: 'memory' }];
    const figures = present(claim).figures.map((figure) => ({ ...figure, instead }));
    write('instead', { ...claim, name: 'instead', figures });
    await expect(loadClaim(scratch, 'instead')).rejects.toThrow(/does not have depth=99/);
  });

  test('is refused without a kind of statement, and for an unknown kind', async () => {
    const statementsOf = (kind: unknown) => present(claim).statements.map((one) => ({ ...one, kind }));
    write('kindless', { ...claim, name: 'kindless', statements: statementsOf(undefined) });
    await expect(loadClaim(scratch, 'kindless')).rejects.toThrow(/statements\.0\.kind/);
    write('upto', { ...claim, name: 'upto', statements: statementsOf('up to') });
    await expect(loadClaim(scratch, 'upto')).rejects.toThrow(/statements\.0\.kind/);
  });

  test.each([
    [
      'names what its readings leave open',
      'a-b[durability=durable]',
      /figures\.0: either: the target already has durability/,
    ],
    ['is absent, so that it has no readings', null, /figures\.0: either: a figure without a target/],
  ])('is refused when its target %s', async (_words, target, message) => {
    const either = { readings: ['durability=durable', 'durability=async'], why: 'it does not say' };
    const [first, ...rest] = present(claim).figures;
    write('open', { ...claim, name: 'open', figures: [{ ...first, target, either, instead: [] }, ...rest] });
    await expect(loadClaim(scratch, 'open')).rejects.toThrow(message);
  });

  test('is refused when the two figures of a statement leave different settings open', async () => {
    const readings = [
      ['durability=durable', 'durability=async'],
      ['isolation=default', 'isolation=serializable'],
    ];
    const figures = ['a', 'b'].map((id, index) => ({
      id,
      label: id,
      tps: 1,
      where: 'table 1',
      target: 'postgres-driver[depth=1]',
      either: { readings: readings[index], why: 'it does not say' },
    }));
    const statement = {
      statement: 'equal',
      kind: 'about',
      wording: 'equal',
      claimedRatio: 1,
      from: 'a',
      to: 'b',
    };
    write('open', { ...claim, name: 'open', figures, statements: [statement] });
    await expect(loadClaim(scratch, 'open')).rejects.toThrow(
      /statements\.0: a and b leave different settings open/,
    );
  });

  test('is refused under the name of another file', async () => {
    write('other', claim);
    await expect(loadClaim(scratch, 'other')).rejects.toThrow(/claims\/other\.json: name: got/);
  });
});
