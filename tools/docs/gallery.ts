import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError, firstIssue, parseJson } from '@fair-bench/contract';
import { type StoredVerdict, renderGallery, storedVerdictSchema } from '@fair-bench/report/html';
import { readIfThere, readSummary, storeJson } from '@fair-bench/results';
import { claimNames, findRun, loadClaim } from '@fair-bench/runner';

/**
 * Builds `docs/gallery/index.html` from `claims/` and the stored verdicts; `add` stores the verdict of a run first.
 * Returns the page's path. Rejects with an InputError for a run without a claim and for an invalid verdict file.
 */
export async function buildGallery(root: string, add: string | undefined): Promise<string> {
  const verdicts = join(root, 'claims', 'verdicts');
  if (add !== undefined) await store(verdicts, await findRun(root, add));
  const names = await claimNames(root);
  const exhibits = await Promise.all(
    names.map(async (name) => ({
      claim: await loadClaim(root, name),
      verdict: await verdictOf(join(verdicts, `${name}.json`)),
    })),
  );
  const page = join(root, 'docs', 'gallery', 'index.html');
  await mkdir(join(page, '..'), { recursive: true });
  await writeFile(page, renderGallery(exhibits));
  return page;
}

async function store(folder: string, run: string): Promise<void> {
  const summary = await readSummary(run);
  const { claim, explanation } = summary;
  if (claim === undefined) throw new InputError(`--add: ${run} has no claim; accepts a run of --claim`);
  const { id, startedAt, command, environment } = summary.run;
  const { cpu, fileSystem } = environment;
  const verdict: StoredVerdict = {
    claim,
    ...(explanation === undefined ? {} : { explanation }),
    run: { id, startedAt, command, environment: { cpu, fileSystem: { ...fileSystem, directory: '' } } },
  };
  await storeJson(join(folder, `${claim.name}.json`), verdict);
}

/** Null where none was stored. */
async function verdictOf(path: string): Promise<StoredVerdict | null> {
  const text = await readIfThere(path);
  if (text === null) return null;
  const parsed = storedVerdictSchema.safeParse(parseJson(text, path));
  if (!parsed.success) throw new InputError(`${path}: ${firstIssue(parsed.error)}`);
  return parsed.data;
}
