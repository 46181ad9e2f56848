import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeDisturbance } from '@fair-bench/analysis';
import { InputError, firstIssue, parseJson } from '@fair-bench/contract';
import { type Exhibit, renderGallery } from '@fair-bench/report/html';
import {
  type Claim,
  type RunSummary,
  type StoredVerdict,
  readIfThere,
  readSummary,
  storeJson,
  storedVerdictSchema,
} from '@fair-bench/results';
import { claimNames, findRun, loadClaim } from '@fair-bench/runner';

/**
 * Builds `docs/gallery/index.html` from `claims/` and the stored verdicts; `add` stores the verdict of a run first.
 * Returns the page's path. Rejects with an InputError for a run without a claim and for an invalid verdict file.
 */
export async function buildGallery(root: string, add: string | undefined): Promise<string> {
  if (add !== undefined) await storeVerdict(root, await findRun(root, add));
  const names = await claimNames(root);
  const exhibits = await Promise.all(names.map(async (name) => await exhibitOf(root, name)));
  const page = join(root, 'docs', 'gallery', 'index.html');
  await mkdir(join(page, '..'), { recursive: true });
  await writeFile(page, renderGallery(exhibits));
  return page;
}

/** A claim with the verdicts that are stored on it. */
export async function exhibitOf(root: string, name: string): Promise<Exhibit> {
  const claim = await loadClaim(root, name);
  return { claim, verdicts: await verdictsOn(root, claim) };
}

/** Stores a run's verdict beside those of other runs; returns its path. */
export async function storeVerdict(root: string, run: string): Promise<string> {
  const summary = await readSummary(run);
  const verdict = verdictOf(summary);
  if (verdict === null) throw new InputError(`--add: ${run} has no claim; accepts a run of --claim`);
  const folder = folderOf(root, verdict.claim.name);
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${verdict.run.id}.json`);
  await storeJson(path, verdict);
  return path;
}

function folderOf(root: string, name: string): string {
  return join(root, 'claims', 'verdicts', name);
}

function verdictOf({ claim, explanation, run, cells, disturbance }: RunSummary): StoredVerdict | null {
  if (claim === undefined) return null;
  const { id, startedAt, command, environment } = run;
  const { cpu, fileSystem, git } = environment;
  const host = describeDisturbance(disturbance);
  const systems = cells.flatMap((cell) => (cell.status === 'ok' ? [cell.facts.system] : []));
  return storedVerdictSchema.parse({
    claim,
    ...(explanation === undefined ? {} : { explanation }),
    warnings: host === null ? [] : [host],
    run: {
      id,
      startedAt,
      command,
      environment: { cpu, fileSystem: { ...fileSystem, directory: '' } },
      commit: git === null ? null : `${git.commit}${git.dirty ? '+' : ''}`,
      versions: Object.fromEntries(systems.map(({ name, version }) => [name, version])),
    },
  });
}

/** The earliest first. */
async function verdictsOn(root: string, claim: Claim): Promise<readonly StoredVerdict[]> {
  const folder = join(root, 'claims', 'verdicts');
  const files = await readdir(folder, { recursive: true });
  const own = files.filter((file) => file.startsWith(`${claim.name}/`) && file.endsWith('.json'));
  const verdicts = await Promise.all(own.map(async (file) => await readVerdict(join(folder, file), claim)));
  return verdicts.toSorted((a, b) => (a.run.startedAt < b.run.startedAt ? -1 : 1));
}

async function readVerdict(path: string, { name, statements }: Claim): Promise<StoredVerdict> {
  const parsed = storedVerdictSchema.safeParse(parseJson((await readIfThere(path)) ?? '', path));
  if (!parsed.success) throw new InputError(`${path}: ${firstIssue(parsed.error)}`);
  const { claim } = parsed.data;
  if (claim.name !== name) throw new InputError(`${path}: got the claim "${claim.name}"; accepts ${name}`);
  const stated = new Set(statements.map(({ statement }) => statement));
  const foreign = claim.statements.find(({ statement }) => !stated.has(statement));
  if (foreign === undefined) return parsed.data;
  throw new InputError(
    `${path}: “${foreign.statement}” is no statement of claims/${name}.json; measure the claim again`,
  );
}
