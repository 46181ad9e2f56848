import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError, badOption, firstIssue, parseJson } from '@fair-bench/contract';
import { suggestion } from '../options/nearest.ts';
import { type Claim, claimSchema } from '@fair-bench/results';

const folder = 'claims';
const schemaFile = 'claim.schema.json';

/** The names of all claims. */
export async function claimNames(root: string): Promise<readonly string[]> {
  const files = await readdir(join(root, folder));
  const claims = files.filter((file) => file.endsWith('.json') && file !== schemaFile);
  return claims.map((file) => file.slice(0, -'.json'.length)).toSorted();
}

/**
 * The claim of that name. The InputError for an unknown name lists the available claims; for a broken file it names
 * the file.
 */
export async function loadClaim(root: string, name: string): Promise<Claim> {
  const names = await claimNames(root);
  if (!names.includes(name)) {
    throw badOption('claim', name, `${names.join(', ')}${suggestion(name, names)}`);
  }
  const file = `${folder}/${name}.json`;
  const parsed = claimSchema.safeParse(parseJson(await readFile(join(root, file), 'utf8'), file));
  if (!parsed.success) throw new InputError(`${file}: ${firstIssue(parsed.error)}`);
  if (parsed.data.name !== name) {
    throw new InputError(`${file}: name: got "${parsed.data.name}"; accepts the file's own name`);
  }
  return parsed.data;
}

/** The claim's parameters in the form of options. */
export function claimedParameters({ parameters }: Claim): { key: string; values: string }[] {
  return Object.entries(parameters).map(([key, value]) => ({ key, values: String(value) }));
}
