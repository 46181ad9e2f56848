import { messageOf } from '@fair-bench/contract';
import { lackOfCargo } from '@fair-bench/native-client';
import type { Claim } from '@fair-bench/results';
import { type LoadedWorkload, loadWorkload } from '../discover/workload.ts';
import { type Catalog, discoverFor } from '../discover/workspace.ts';
import { parseRunOptions, runDefaults } from '../options/run-options.ts';
import { probeAlone } from '../provision/probe.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { type FigureCell, figureCells } from './figure-cells.ts';
import { claimNames, loadClaim } from './load.ts';

/** Prints every claim: how much of it can be measured here, what is lacking, and the command that does it. */
export async function printClaims(root: string, command: string): Promise<void> {
  const toolchain = lackOfCargo({ root, signal: new AbortController().signal });
  const known = new Map<string, Promise<string | null>>();
  const lackOf = async ({ target, client }: Spec): Promise<string | null> => {
    const probed = known.get(target.target) ?? lackOfTarget(target);
    known.set(target.target, probed);
    return (await probed) ?? (client === 'native' ? ((await toolchain)?.reason ?? null) : null);
  };
  const loaded = new Map<string, Promise<Loaded>>();
  const blocks = (await claimNames(root)).map(async (name) => {
    const claim = await loadClaim(root, name);
    const workload = loaded.get(claim.workload) ?? load(root, claim.workload);
    loaded.set(claim.workload, workload);
    const measurable = await measurableOf(claim, await workload, lackOf);
    return `${command} --claim ${name}\n  ${measurable}`;
  });
  process.stdout.write(`Published claims:\n\n${(await Promise.all(blocks)).join('\n')}\n\n`);
}

type Spec = Pick<NonNullable<FigureCell['spec']>, 'target' | 'client'>;

async function lackOfTarget(target: TargetDefinition): Promise<string | null> {
  // A variable that names no program rejects.
  return await probeAlone(target).then(
    (answer) => (answer.available ? null : answer.reason),
    (error: unknown) => messageOf(error),
  );
}

interface Lack {
  /** Null for a reason of the claim's own. */
  readonly target: string | null;
  readonly reason: string;
}

interface Loaded {
  readonly workload: LoadedWorkload;
  readonly catalog: Catalog;
}

async function load(root: string, name: string): Promise<Loaded> {
  const workload = await loadWorkload(root, name);
  return { workload, catalog: await discoverFor(root, workload) };
}

async function measurableOf(
  claim: Claim,
  { workload, catalog }: Loaded,
  lackOf: (spec: Spec) => Promise<string | null>,
): Promise<string> {
  const cells = figureCells(claim, defaults, catalog, workload);
  const figures = await Promise.all(
    cells.map(async ({ id, spec, notes }): Promise<{ id: string; lack: Lack | null }> => {
      if (spec === null)
        return { id, lack: { target: null, reason: notes[0] ?? 'no target here corresponds' } };
      const reason = await lackOf(spec);
      return { id, lack: reason === null ? null : { target: spec.target.base, reason } };
    }),
  );
  // One reading of a figure is enough.
  const isHere = (id: string): boolean => figures.some((one) => one.id === id && one.lack === null);
  const { statements } = claim;
  const whole = statements.filter(({ from, to }) => isHere(from) && isHere(to)).length;
  const lacking = new Set(statements.flatMap(({ from, to }) => [from, to]).filter((id) => !isHere(id)));
  const lacks = figures.flatMap(({ id, lack }) => (lacking.has(id) && lack !== null ? [lack] : []));
  const because = [...Map.groupBy(lacks, ({ reason }) => reason)].map(([reason, same]) => {
    const targets = [...new Set(same.flatMap(({ target }) => target ?? []))];
    return targets.length === 0 ? reason : `${targets.join(', ')}: ${reason}`;
  });
  return [`${whole} of ${statements.length} statements can be measured here`, ...because].join('; ');
}

/** As far as a figure's cell depends on options. */
const defaults = parseRunOptions({
  ...runDefaults,
  mode: 'published',
  strict: false,
  url: [],
  param: [],
  set: [],
});
