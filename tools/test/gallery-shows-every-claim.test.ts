import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderGallery } from '@fair-bench/report/html';
import {
  type Claim,
  type StatementResult,
  type StoredVerdict,
  storedVerdictSchema,
} from '@fair-bench/results';
import { summarize } from '@fair-bench/analysis';
import { claimNames, loadClaim } from '@fair-bench/runner';
import { afterAll, describe, expect, test } from 'vitest';
import { claim as example, explanation, largeRun } from '@fair-bench/report/test-support';
import { present } from '@fair-bench/analysis/test-support';
import { buildGallery, storeVerdict } from '../docs/gallery.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const claims = await Promise.all((await claimNames(root)).map(async (name) => await loadClaim(root, name)));
const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-gallery-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));
const claim = leavingOpen(present(claims.find(({ name }) => name === 'keynote-2-2026-05')));
const [headline] = claim.statements;

/** The claim as if its source did not say how durable PostgreSQL's commits are. */
function leavingOpen(stated: Claim): Claim {
  const either = { readings: ['durability=durable', 'durability=async'], why: 'it does not say' };
  const isOpen = (name: string | null): boolean => name?.startsWith('postgres-') === true;
  return {
    ...stated,
    figures: stated.figures.map((figure) =>
      isOpen(figure.target)
        ? { ...figure, target: (figure.target ?? '').replace(',durability=durable', ''), either }
        : figure,
    ),
    settings: stated.settings.filter(
      ({ setting, targets }) => setting !== 'durability' || targets?.some(isOpen) !== true,
    ),
  };
}

/** A run of the claim whose headline has this ratio, an error of 3 %, and no other number. */
function runWith(ratio: number, day: number, reading = 'durability=durable'): StoredVerdict {
  const { statement, kind, wording, claimedRatio } = present(headline);
  const result: StatementResult = {
    statement,
    kind,
    wording,
    reading,
    claimedRatio,
    measured: { ratio, ci95: [ratio * 0.94, ratio * 1.06], logError: 0.03 },
    verdict: 'supported',
    because: 'the whole interval is inside',
  };
  return storedVerdictSchema.parse({
    claim: { ...example, name: claim.name, ...result, statements: [result] },
    explanation,
    warnings: ['Host: of 60 trials, the processors were over 95 % busy in 41.'],
    run: {
      id: `run-${day}`,
      startedAt: `2026-11-${day}T10:00:00.000Z`,
      command: 'npm run explain',
      environment: { cpu: { model: 'Example CPU', cores: 2 }, fileSystem: { type: 'ext4', directory: '' } },
      commit: '0123456789abcdef',
      versions: { postgres: '18.4' },
    },
  });
}

function pageWith(verdicts: readonly StoredVerdict[]): string {
  const page = renderGallery(
    claims.map((one) => (one.name === claim.name ? { claim, verdicts } : { claim: one, verdicts: [] })),
  );
  return page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('docs/gallery matches claims/: npm run gallery renews it', async () => {
  const page = await readFile(join(root, 'docs', 'gallery', 'index.html'), 'utf8');
  const text = page
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
  for (const { name, breaks, notes = [] } of claims) {
    expect(page).toContain(`id="${name}"`);
    for (const note of notes) expect(text).toContain(note);
    for (const { rule } of breaks) expect(page).toContain(`<li>${rule}: `);
  }
  for (const name of await readdir(join(root, 'claims', 'verdicts'))) {
    for (const file of await readdir(join(root, 'claims', 'verdicts', name))) {
      const { run } = storedVerdictSchema.parse(
        JSON.parse(await readFile(join(root, 'claims', 'verdicts', name, file), 'utf8')),
      );
      expect(file).toBe(`${run.id}.json`);
      expect(page).toContain(run.startedAt.slice(0, 10));
    }
  }
  expect(page).toContain("default-src 'none'");
});

test('the title counts the claims that were measured, and an unmeasured claim has its command', () => {
  const page = pageWith([runWith(29, 20)]);
  expect(page).toContain(`Published performance claims: 1 of ${claims.length} measured`);
  const count = claims.reduce((sum, { statements }) => sum + statements.length, 0);
  expect(page).toContain(`Statements with a number: 1 of ${count}.`);
  const reachable = claims.filter(({ figures }) => figures.some(({ target }) => target !== null));
  const missing = page.match(/Not yet: npm run bench -- --mode published --claim/g);
  expect(missing).toHaveLength(reachable.length - 1);
  expect(page.match(/Not here: none of its figures has a target/g)).toHaveLength(
    claims.length - reachable.length,
  );
});

test('a run shows its verdict, both machines, its warnings, its command and its versions', () => {
  const page = pageWith([runWith(29, 20)]);
  expect(page).toContain('1 of 4 statements, 1 of 8 with their readings, in 1 run');
  expect(page).toMatch(
    /Claimed about 28\.2 × on a host of 32 threads.*; here, in this run on 2 cores \(Example CPU at 3\.0 GHz\): [\d.]+ × \[.+?\], supported if durability=durable/,
  );
  expect(page).toContain('Host: of 60 trials, the processors were over 95 % busy in 41.');
  expect(page).toContain('npm run explain (postgres 18.4, commit 0123456789ab)');
  expect(page).not.toContain('mean of');
});

describe('the mean over runs', () => {
  test('stands below the runs, with an interval that covers what differs between them', () => {
    const page = pageWith([runWith(22.6, 19), runWith(25.4, 20), runWith(29.5, 21)]);
    for (const day of [19, 20, 21]) expect(page).toContain(`2026-11-${day}, 2 cores`);
    // Geometric mean 25.7; logs deviate by 0.133, so the half-width is 4.303 × 0.133 ÷ √3 = 0.331.
    expect(page).toMatch(/mean of 3 runs, which differ by × 1\.1\d 25\.7 18\.\d 35\.8 undecided over 3 runs/);
  });

  test('is of each reading alone', () => {
    const page = pageWith([runWith(29, 20), runWith(28, 21), runWith(9, 22, 'durability=async')]);
    expect(page).toContain('mean of 2 runs');
    expect(page).not.toContain('mean of 3 runs');
  });
});

describe('npm run gallery -- --add RUN', () => {
  async function folderWith(name: string, summary: object): Promise<string> {
    const folder = join(scratch, name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'summary.json'), JSON.stringify(summary));
    return folder;
  }
  const summary = summarize(largeRun());
  const { claim: measured } = runWith(29, 20);

  test('stores a verdict for each run beside the others, with what disturbed it', async () => {
    for (const id of ['run-a', 'run-b']) {
      const folder = await folderWith(id, { ...summary, claim: measured, run: { ...summary.run, id } });
      const path = await storeVerdict(scratch, folder);
      expect(path).toBe(join(scratch, 'claims', 'verdicts', claim.name, `${id}.json`));
      const stored = storedVerdictSchema.parse(JSON.parse(await readFile(path, 'utf8')));
      expect(stored.run.versions).toHaveProperty('alpha');
      expect(stored.warnings.join()).toMatch(/^Host: .*the load client was at its limit in \d+/);
    }
    await writeFile(join(scratch, 'claims', `${claim.name}.json`), JSON.stringify(claim));
    const page = await readFile(await buildGallery(scratch, undefined), 'utf8');
    expect(page).toContain('mean of 2 runs');
  });

  test('refuses a run without a claim', async () => {
    const folder = await folderWith('no-claim', summary);
    await expect(storeVerdict(scratch, folder)).rejects.toThrow(/--add: .* has no claim/);
  });

  test('refuses a stored verdict on a statement that the claim does not have', async () => {
    const strange = { ...measured, statements: [{ ...present(measured.statements[0]), statement: 'other' }] };
    const other = await folderWith('other', {
      ...summary,
      claim: strange,
      run: { ...summary.run, id: 'other' },
    });
    await storeVerdict(scratch, other);
    await expect(buildGallery(scratch, undefined)).rejects.toThrow(
      /“other” is no statement of claims\/keynote/,
    );
  });
});
