import { typedCommand } from '@fair-bench/contract';
import { availableParallelism, totalmem } from 'node:os';
import type { DoctorCheck } from './doctor-report.ts';
import type { FoundConnector } from '../discover/workspace.ts';
import { lacking, ok } from './checks.ts';

const mib = 2 ** 20;
/** A generous estimate of a row with its key and the database's overhead. */
const bytesPerRow = 256;
/** The share of memory that a database may use before it slows the rest of the run. */
const memoryShareMax = 0.25;

interface FairnessInput {
  readonly connectors: readonly FoundConnector[];
  /** Names of targets that are available here. */
  readonly available: ReadonlySet<string>;
  readonly machine: readonly DoctorCheck[];
  /** Rows of all tables of the default workload. */
  readonly rows: number;
}

/** The questions of FAIR-BENCHMARK.md, for a default run on this machine. */
export function checkFairness({ connectors, available, machine, rows }: FairnessInput): DoctorCheck[] {
  const databases = connectors.filter(({ name, manifest }) => available.has(name) && !manifest.calibration);
  return [checkDataset(rows), ...checkConfigurations(databases), checkObjections(databases, machine)];
}

function checkDataset(rows: number): DoctorCheck {
  const name = 'does the dataset fit in memory?';
  const bytes = rows * bytesPerRow;
  const found = `${rows} rows are about ${Math.ceil(bytes / mib)} MiB of ${Math.round(totalmem() / mib)}`;
  if (bytes <= totalmem() * memoryShareMax)
    return ok(name, `yes: ${found}; reads are from memory everywhere`);
  return lacking(name, `no: ${found}`, 'use fewer rows, or state that the disks are compared');
}

/** One line per system: a default configuration is a choice, and not always the one its vendor recommends. */
function checkConfigurations(databases: readonly FoundConnector[]): DoctorCheck[] {
  const systems = Map.groupBy(databases, ({ manifest }) => manifest.system);
  return [...systems].map(([system, connectors]) => {
    const name = `is ${system} on its recommended configuration?`;
    const profiles = new Set(connectors.flatMap(({ manifest }) => manifest.factors.profile));
    const others = [...profiles].filter((profile) => profile !== 'default');
    if (others.length === 0) return ok(name, 'yes: the default configuration is the only one here');
    return lacking(
      name,
      `a default run leaves it as it ships; it also has ${others.join(', ')}`,
      `also measure ${connectors[0]?.name}@${others[0]}, and state the configuration beside each number`,
    );
  });
}

/** The first objection of someone whose system loses. */
function checkObjections(databases: readonly FoundConnector[], machine: readonly DoctorCheck[]): DoctorCheck {
  const name = 'would a maintainer object?';
  const objections: string[] = [];
  const hops = new Set(databases.map(({ manifest }) => manifest.factors.hop));
  if (hops.size > 1) objections.push('some targets have an application server in between and some have none');
  const perCore = new Set(['cores', 'neighbours', 'cpu governor']);
  for (const check of machine) {
    if (check.status !== 'ok' && perCore.has(check.name)) objections.push(check.found);
  }
  const systems = new Set(databases.map(({ manifest }) => manifest.system));
  if (systems.size < 2) objections.push('there is only one system here: nothing to compare it with');
  if (objections.length === 0) {
    return ok(
      name,
      `no known limit on ${availableParallelism()} cores; every report names its own differences`,
    );
  }
  return lacking(
    name,
    objections.join('; '),
    `${typedCommand('explain')} splits a gap into such factors; compare like with like`,
  );
}
