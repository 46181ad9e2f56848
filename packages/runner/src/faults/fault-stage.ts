import { join } from 'node:path';
import {
  type Artifacts,
  type Cell,
  type FaultTrial,
  faultTrialFile,
  isPassed,
  medianOf,
  type RequestedFault,
  type RunPlan,
  seedOfRound,
  splitMix64,
  storePowerCuts,
  sum,
  type TrialRecord,
} from '@fair-bench/results';
import { messageOf } from '@fair-bench/contract';
import type { RunSupervisor } from '@fair-bench/supervisor';
import { commandOf, type TrialResources } from '../measure/measure-cell.ts';
import type { RunContext } from '../measure/run-context.ts';
import type { Pinning } from '../probes/cores.ts';
import type { Targets } from '../provision/targets.ts';
import type { Lack } from './arranged-fault.ts';
import { runFaultTrial } from './fault-trial.ts';
import { lackName } from './lacks.ts';

/** Where a fault has no time of its own, it begins this long after the window, and up to a second later. */
const atMsLeast = 1_500;
const atMsDrawn = 1_000n;
/** Of what the slowest cell did in the rounds. */
const offeredShare = 0.4;

/** What faults are injected into. */
interface FaultedRun {
  readonly plan: RunPlan;
  readonly bench: {
    readonly artifacts: Artifacts;
    readonly supervisor: RunSupervisor;
    readonly context: RunContext;
    readonly targets: Targets;
    readonly pinned: Pinning;
  };
  readonly resources: TrialResources;
  readonly isMeasurable: (cell: Cell) => boolean;
  /** Of the rounds before. */
  readonly trials: readonly TrialRecord[];
}

/** Injects each fault of the plan into each cell, so many times, one trial after the other; empty where the plan has none. */
export async function injectFaults(run: FaultedRun): Promise<readonly FaultTrial[]> {
  const { plan, bench } = run;
  if (plan.faults === undefined) return [];
  const { display, signal } = bench.context;
  await bench.artifacts.open('faults');
  const cells = plan.cells.filter(run.isMeasurable);
  const ratePerSecond = plan.faults.ratePerSecond ?? rateOf(run.trials);
  if (cells.length > 0 && ratePerSecond === null) {
    display.message('faults: no cell has a number by which the load could be chosen; give --rate');
    return [];
  }
  // Servers of the rounds would disturb, and be disturbed.
  for (const failure of await bench.targets.closeAll()) display.message(failure);
  const found: FaultTrial[] = [];
  const stage = new FaultStage(run, ratePerSecond ?? 1);
  const order = plan.faults.faults.flatMap((fault) => cells.map((cell) => ({ fault, cell })));
  const total = order.length * plan.faults.trials;
  for (let trial = 0; trial < plan.faults.trials; trial += 1) {
    for (const { fault, cell } of order) {
      if (signal.aborted) return found;
      display.trialStarted(`${cell.id} ${fault.kind} ${trial + 1}`, found.length + 1, total);
      const record = await stage.injectAgain(cell, fault, trial);
      await bench.artifacts.write(faultTrialFile(record), record);
      display.trialEnded(describeFault(record), record.status === 'ok' && record.rows.outcome === 'kept');
      found.push(record);
    }
  }
  await storeCuts(run, found).catch((error: unknown) => display.message(messageOf(error)));
  return found;
}

/** 40 % of what the slowest cell did: the same load for all; null where none has a number. */
function rateOf(trials: readonly TrialRecord[]): number | null {
  const byCell = Map.groupBy(trials.filter(isPassed), ({ cellId }) => cellId);
  const medians = [...byCell.values()]
    .map((own) => medianOf(own.map(({ tps }) => tps)))
    .filter((tps) => tps > 0);
  return medians.length === 0 ? null : Math.max(1, Math.round(offeredShare * Math.min(...medians)));
}

/** What the power cuts of this run say of later ones: by target, where nothing but the level was set. */
async function storeCuts({ plan, bench }: FaultedRun, found: readonly FaultTrial[]): Promise<void> {
  const cuts = plan.cells.flatMap((cell) => {
    const target = plan.targets.find((one) => one.target === cell.target);
    const own = found.filter(({ cellId, fault }) => cellId === cell.id && fault.kind === 'power-cut');
    const measured = own.filter((trial) => trial.status === 'ok');
    const [first] = measured;
    if (first === undefined || target === undefined || target.url !== null) return [];
    // Another name has other settings than the connector's own.
    if (target.target !== `${target.connector}${target.durability === 'async' ? '@async' : ''}`) return [];
    const count = (...outcomes: readonly string[]): number =>
      measured.filter(({ rows }) => outcomes.includes(rows.outcome)).length;
    return [
      {
        connector: target.connector,
        level: target.durability,
        batch: cell.batch,
        system: first.system,
        version: first.version,
        workload: cell.workload,
        measuredAt: new Date().toISOString(),
        cuts: measured.length,
        lossy: count('lost', 'gone'),
        undecided: count('undecided', 'differs', 'doubled'),
        acknowledged: sum(measured.map(({ result }) => result.total.applied)),
      },
    ];
  });
  if (cuts.length > 0) await storePowerCuts(bench.context.root, cuts);
}

class FaultStage {
  readonly #run: FaultedRun;
  readonly #ratePerSecond: number;

  constructor(run: FaultedRun, ratePerSecond: number) {
    this.#run = run;
    this.#ratePerSecond = ratePerSecond;
  }

  /** A trial whose load was not held before its fault says nothing of the system; it is measured again as others are that the machine disturbed. */
  async injectAgain(cell: Cell, requested: RequestedFault, trial: number): Promise<FaultTrial> {
    const { plan, bench } = this.#run;
    for (let again = 0; ; again += 1) {
      const record = await this.#inject(cell, requested, trial);
      // Each trial takes a node of the user's cluster away.
      const hasNodes = (bench.context.nodes.get(cell.target) ?? []).length > 0;
      const isOver = hasNodes || again >= plan.disturbedAgainMax || bench.context.signal.aborted;
      if (isOver || record.status !== 'void' || record.rule !== 'F56') return record;
      bench.context.display.trialEnded(`measured again: ${record.reason}`, false);
    }
  }

  async #inject(cell: Cell, requested: RequestedFault, trial: number): Promise<FaultTrial> {
    const { plan, bench, resources } = this.#run;
    const { context, targets, artifacts } = bench;
    const fault = { ...requested, atMs: requested.atMs ?? drawnAtMs(plan.seed, trial) };
    const planned = plan.targets.find(({ target }) => target === cell.target);
    const loaded = planned === undefined ? undefined : context.connectors.get(planned.connector);
    if (planned === undefined || loaded === undefined) throw new Error(`${cell.id}: not in the plan`);
    const identity = { cellId: cell.id, target: cell.target, connector: planned.connector, fault, trial };
    const name = `${cell.id}-${fault.kind}-${trial}`;
    const client = resources.clients.of(cell);
    if (!client.available) return { status: 'unavailable', ...identity, ...reasonsOf(client) };
    const lack = context.faultLacks?.get(lackName(cell.target, fault.kind));
    if (lack !== undefined) return { status: 'unavailable', ...identity, ...lack };
    return await runFaultTrial({
      run: plan,
      cell: { ...cell, parameters: { ...cell.parameters, seed: seedOfRound(plan.seed, trial) } },
      connector: planned.connector,
      route: loaded.connector,
      options: targets.optionsOf(planned),
      nodes: context.nodes.get(cell.target) ?? [],
      workload: context.workload.description,
      client: { client: client.client, command: commandOf(resources, cell, client.command) },
      cores: bench.pinned.cores?.servers ?? null,
      fault,
      trial,
      ratePerSecond: this.#ratePerSecond,
      root: context.root,
      directory: async (what) => await bench.supervisor.directory(what),
      dataRoot: context.dataDirectory,
      logDirectory: join(artifacts.logDirectory, name),
      logPath: artifacts.path(join('faults', `${name}.log`)),
      signal: context.signal,
      onProgress: (line) => context.display.message(`the disk that forgets: ${line}`),
      onEvent(event) {
        if (event.type === 'phase') context.display.phase(event.phase);
        if (event.type === 'progress' && event.elapsedMs > 0)
          context.display.progress((event.applied / event.elapsedMs) * 1_000, event.elapsedMs);
      },
    });
  }
}

function reasonsOf({ reason, remedy }: Lack): Lack {
  return { reason, remedy };
}

/** The same for all cells of a trial, another in each: no system's own rhythm is met by design. */
function drawnAtMs(seed: string, trial: number): number {
  return atMsLeast + Number(splitMix64(BigInt(seedOfRound(seed, trial + 1)))() % atMsDrawn);
}

/** The outcome of a trial in a line. */
function describeFault(record: FaultTrial): string {
  if (record.status === 'interrupted') return 'interrupted';
  if (record.status === 'unavailable') return `unavailable: ${record.reason}; ${record.remedy}`;
  if (record.status === 'void') return `void: ${record.reason}`;
  const { rows, course, result } = record;
  const first =
    course.firstAppliedMs === null
      ? 'nothing applied after it'
      : `applied again after ${Math.round(course.firstAppliedMs - course.beganMs)} ms`;
  const found =
    rows.outcome === 'kept' ? 'nothing lost' : `${rows.outcome}: ${rows.examples[0] ?? rows.reason ?? ''}`;
  const lacking = record.notBack === undefined ? '' : `; ${record.notBack}`;
  return `${found}, ${result.total.inDoubt} in doubt, ${first}${lacking}`;
}
