import { typedCommand } from '@fair-bench/contract';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DoctorCheck, DoctorReport } from './doctor-report.ts';
import type { Listing } from '../list/listing.ts';
import { createSupervisor } from '@fair-bench/supervisor';
import { defaultParameters, resolveWorkload } from '@fair-bench/workload';
import { defaultWorkload, loadWorkload } from '../discover/workload.ts';
import { discover } from '../discover/workspace.ts';
import { listTargets } from '../list/index.ts';
import { lacking, needed, ok } from './checks.ts';
import { checkFairness } from './fairness-checks.ts';
import { checkMachine } from './machine-checks.ts';
import { checkTools } from './tool-checks.ts';
import { mkdtempDisposable } from 'node:fs/promises';

interface DoctorInput {
  readonly root: string;
  /** The data directory of databases; null for the default. */
  readonly dataDirectory: string | null;
  readonly config: string | undefined;
}

/**
 * What this machine can measure and what is missing, each with a remedy. Starts no server; writes to the disk for 0.3
 * s to measure its sync rate.
 */
export async function examine({ root, dataDirectory, config }: DoctorInput): Promise<DoctorReport> {
  // One after the other: the machine is observed while nothing of ours works.
  const machine = await checkMachineAt(dataDirectory);
  const tools = await checkTools();
  const { connectors } = await discover(root);
  const listings = await listTargets(root, config);
  const isCalibration = new Set(
    connectors.flatMap(({ name, manifest }) => (manifest.calibration ? [name] : [])),
  );
  const databases = listings.filter(({ target }) => !isCalibration.has(target));
  const targets = [...databases.map(checkTarget), checkDefaultRun(databases)];
  const available = new Set(listings.flatMap((listing) => (listing.available ? [listing.target] : [])));
  const fairness = checkFairness({ connectors, available, machine, rows: await rowsByDefault(root) });
  const ready = ![...machine, ...tools, ...targets].some(({ status }) => status === 'needed');
  return { ready, machine, tools, targets, fairness };
}

/** The rows of the default workload with its default parameters. */
async function rowsByDefault(root: string): Promise<number> {
  const { description } = await loadWorkload(root, defaultWorkload);
  const { tables } = resolveWorkload(description, defaultParameters(description));
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

/** The report for a terminal: one line per check, with its remedy below. */
export function renderDoctor(report: DoctorReport): string {
  const parts: readonly (readonly [title: string, checks: readonly DoctorCheck[]])[] = [
    ['This machine', report.machine],
    ['Tools', report.tools],
    ['Targets', report.targets],
    ['A fair benchmark', report.fairness],
  ];
  const sections = parts.map(([title, checks]) => [title, ...checks.flatMap(linesOf)].join('\n'));
  const verdict = report.ready
    ? `The default run works here: ${typedCommand('fair-bench')}`
    : 'The default run does not work here: see the lines marked NEEDED';
  return [...sections, verdict].join('\n\n');
}

/** Probes the disk that a run would use: the supervisor chooses its folder. */
async function checkMachineAt(dataDirectory: string | null): Promise<DoctorCheck[]> {
  await using logs = await mkdtempDisposable(join(tmpdir(), 'fair-bench-doctor-'));
  const supervisor = createSupervisor({ logDirectory: logs.path, dataRoot: dataDirectory });
  try {
    return await checkMachine(async () => await supervisor.directory('doctor'));
  } finally {
    await supervisor.stopAll();
  }
}

const marks: Readonly<Record<DoctorCheck['status'], string>> = {
  ok: 'ok     ',
  lacking: 'lacking',
  needed: 'NEEDED ',
};

function linesOf(check: DoctorCheck): readonly string[] {
  const line = `  ${marks[check.status]}  ${check.name}: ${check.found}`;
  return check.status === 'ok' ? [line] : [line, `           remedy: ${check.remedy}`];
}

function checkTarget({ target, available, version, reason, remedy }: Listing): DoctorCheck {
  if (available) return ok(target, version === undefined ? 'available' : `available, version ${version}`);
  return lacking(target, reason ?? 'unavailable', remedy ?? `see ${typedCommand('list')}`);
}

/** A run uses whatever is available; without anything it has nothing to measure. */
function checkDefaultRun(databases: readonly Listing[]): DoctorCheck {
  const count = databases.filter(({ available }) => available).length;
  if (count > 0) return ok('the default run', `${count} of ${databases.length} targets are available`);
  return needed(
    'the default run',
    'no target is available',
    'name a server by --url, or follow a remedy above',
  );
}
