import { tmpdir } from 'node:os';
import { badOption } from '@fair-bench/contract';
import type { RunPlan } from '@fair-bench/results';
import { createSupervisor } from '@fair-bench/supervisor';
import { Cluster } from '../durability/cluster.ts';
import type { RunContext } from '../measure/run-context.ts';
import type { FaultOfKind, Lack } from './arranged-fault.ts';
import { faultsByKind } from './kinds.ts';

type FaultLacks = NonNullable<RunContext['faultLacks']>;
type LackHere = NonNullable<FaultOfKind['lackHere']>;

export function lackName(target: string, kind: string): string {
  return `${target} ${kind}`;
}

/**
 * Tries each fault of the plan for each target, before anything is started: what it needs is made and removed. An InputError where no
 * fault can be injected into any target.
 */
export async function lacksOfFaults(
  plan: Pick<RunPlan, 'faults' | 'targets'>,
  {
    root,
    connectors,
    dataDirectory,
    nodes,
    urls,
  }: Pick<RunContext, 'root' | 'connectors' | 'dataDirectory' | 'nodes' | 'urls'>,
): Promise<FaultLacks> {
  const faults = plan.faults?.faults ?? [];
  if (faults.length === 0) return new Map();
  const supervisor = createSupervisor({ logDirectory: tmpdir(), dataRoot: dataDirectory });
  const arrangement = {
    root,
    directory: async (name: string) => await supervisor.directory(name),
    signal: new AbortController().signal,
    onProgress: (line: string) => void process.stderr.write(`the disk that forgets: ${line}\n`),
  };
  const lacks = new Map<string, Lack>();
  // Once for all targets, and for all faults of one means.
  const here = new Map<LackHere, Promise<Lack | null>>();
  const tried = async (lackHere: LackHere): Promise<Lack | null> => {
    const answer = here.get(lackHere) ?? lackHere(arrangement);
    here.set(lackHere, answer);
    return await answer;
  };
  try {
    for (const { kind } of faults) {
      for (const { target, connector, url } of plan.targets) {
        const loaded = connectors.get(connector);
        if (loaded === undefined) continue;
        const { found } = loaded;
        const own = nodes.get(target) ?? [];
        const cluster = new Cluster(loaded.connector, urls[target] ?? '', own);
        const faulted = { found, url, nodes: own, aim: async () => await cluster.aim() };
        const { lackOf, lackHere } = faultsByKind[kind];
        const lack = (await lackOf(faulted)) ?? (lackHere === undefined ? null : await tried(lackHere));
        if (lack !== null) lacks.set(lackName(target, kind), lack);
      }
    }
  } finally {
    await supervisor.stopAll();
  }
  refuseWhereNothingIsLeft(plan, lacks);
  return lacks;
}

function refuseWhereNothingIsLeft(
  { faults, targets }: Pick<RunPlan, 'faults' | 'targets'>,
  lacks: FaultLacks,
): void {
  const kinds = faults?.faults.map(({ kind }) => kind) ?? [];
  if (lacks.size < kinds.length * targets.length || targets.length === 0) return;
  const reasons = new Set([...lacks].map(([name, { reason, remedy }]) => `${name}: ${reason}; ${remedy}`));
  throw badOption('fault', kinds.join(','), `a fault that can be injected here; ${[...reasons].join('; ')}`);
}
