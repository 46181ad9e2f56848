import { describeStorage } from '@fair-bench/contract';
import type { RunPlan, RunSummary } from '@fair-bench/results';

interface Run {
  readonly plan: RunPlan;
  readonly summary: RunSummary;
}

/** Other differences between two runs that may explain their numbers: machine, software, targets. */
export function settingDifferences(before: Run, after: Run): readonly string[] {
  const old = settingsOf(before);
  const current = settingsOf(after);
  return [...new Set([...old.keys(), ...current.keys()])]
    .filter((name) => old.get(name) !== current.get(name))
    .map((name) => `${name}: ${old.get(name) ?? 'absent'} → ${current.get(name) ?? 'absent'}`);
}

function settingsOf({ plan, summary }: Run): ReadonlyMap<string, string> {
  // Measured values never repeat exactly, and each run has a new directory.
  const { fsyncPerSecond: _rate, roundTrips: _trips, fileSystem, ...environment } = summary.run.environment;
  return new Map([
    ...flatten('environment', environment),
    ['environment.fileSystem', fileSystem.type] as const,
    ['rounds', String(summary.run.rounds)] as const,
    ['verdict', summary.verdict.label] as const,
    ...plan.targets.flatMap(({ target, ...options }) => flatten(target, options)),
    ...factsOf(summary),
  ]);
}

/** Each target's facts in the first of its cells that has some. */
function factsOf({ cells }: RunSummary): readonly (readonly [string, string])[] {
  const facts = new Map<string, readonly (readonly [string, string])[]>();
  for (const cell of cells) {
    if (cell.status === 'unavailable' || cell.facts === null || facts.has(cell.target)) continue;
    const { storage, ...others } = cell.facts;
    const path = `${cell.target} facts`;
    facts.set(cell.target, [...flatten(path, others), [`${path}.storage`, describeStorage(storage)]]);
  }
  return [...facts.values()].flat();
}

function flatten(path: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => flatten(`${path}.${key}`, inner));
}
