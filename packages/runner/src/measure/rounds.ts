import {
  type Artifacts,
  type Cell,
  type RunPlan,
  type TrialRecord,
  unmeasuredTrial,
  voidsAllowed,
  voidsBefore,
} from '@fair-bench/results';
import { type LogsByRound, type ContrastEstimate, contrastEstimates } from '@fair-bench/analysis';
import { nextTurn, type Turn } from '../plan/allocate-rounds.ts';
import { breakInsMs } from '../plan/timing.ts';
import { sliceOf } from '../seed/slices.ts';
import { repeatBudget } from './measure-again.ts';
import { describeTrial, measureCellAgain, type TrialResources } from './measure-cell.ts';

/** What the rounds of a plan are measured with. */
export interface Rounds {
  readonly plan: RunPlan;
  readonly artifacts: Artifacts;
  readonly resources: TrialResources;
  readonly isMeasurable: (cell: Cell) => boolean;
  /** Milliseconds so far that the budget does not count. */
  readonly apartMs: number;
  /** Whether a search has used the servers. */
  readonly isSearched: boolean;
}

/** What the rounds of a run produced. */
interface MeasuredRounds {
  /** The plan with the rounds that were measured, in their order. */
  readonly plan: RunPlan;
  readonly trials: readonly TrialRecord[];
}

/** Runs the planned rounds in order, then what the plan's allocation adds while there is time. */
export async function measureRounds(rounds: Rounds): Promise<MeasuredRounds> {
  const runner = new RoundRunner(rounds);
  for (const [round, ids] of rounds.plan.rounds.entries()) {
    if (!runner.hasTimeFor(ids)) break;
    await runner.measure(ids, round, rounds.plan.rounds[round + 1]);
  }
  for (let turn = runner.nextTurn(); turn !== null; turn = runner.nextTurn()) {
    await runner.measure(turn.cells, turn.round);
  }
  return runner.measured();
}

/** The report and the running processes need time to end. */
const closingMs = 3000;
/** A turn may take at most this much longer than trials so far. */
const slowerFactor = 1.15;
/** A planned round may end so much later: with fewer than five, intervals are wide. */
const plannedFactor = 1.1;

class RoundRunner {
  readonly #run: Rounds;
  readonly #cells: ReadonlyMap<string, Cell>;
  readonly #mayAgain: (tookMs: number) => boolean;
  readonly #endsAtMs: number | null;
  /** When no cell has its first trial any more. */
  readonly #firstsEndAtMs: number | null;
  readonly #startedMs = performance.now();
  readonly #trials: TrialRecord[] = [];
  readonly #rounds: string[][] = [];
  readonly #logs = new Map<string, Map<number, number>>();
  readonly #voids = new Set<string>();
  /** The cells that were measured since the servers' last start. */
  readonly #sinceStart: Set<string>;
  /** How long the restarts took together, and the longest one. */
  readonly #restartMs = { sum: 0, most: 0 };
  /** By cell: how long its last trial took, with its seeding and its audit. */
  readonly #tookMs = new Map<string, number>();
  readonly #notes: string[] = [];
  #plannedLeft: number;

  constructor(run: Rounds) {
    this.#run = run;
    const { plan, isMeasurable, apartMs } = run;
    this.#cells = new Map(plan.cells.filter(isMeasurable).map((cell) => [cell.id, cell]));
    this.#endsAtMs = plan.allocation === undefined ? null : plan.allocation.budgetMs + apartMs - closingMs;
    this.#firstsEndAtMs =
      plan.allocation?.firstRoundMs === undefined
        ? this.#endsAtMs
        : plan.allocation.firstRoundMs + apartMs - closingMs;
    this.#plannedLeft = plan.rounds.flat().filter((id) => this.#cells.has(id)).length;
    // A search measured on the first servers.
    this.#sinceStart = new Set(run.isSearched ? this.#cells.keys() : []);
    const planned = this.#plannedLeft;
    const trials = (): number => Math.max(planned, this.#trials.length);
    // Without the cell whose trial asks.
    const firstsLeft = (): number => Math.max(0, this.#cells.size - this.#tookMs.size - 1);
    this.#mayAgain = repeatBudget(plan, trials, this.#endsAtMs ?? undefined, firstsLeft);
  }

  /**
   * Whether the budget has time for one more planned round, by the trials so far; the first round has. If not, a note
   * says with which budget all of them fit.
   */
  hasTimeFor(ids: readonly string[]): boolean {
    if (this.#endsAtMs === null || this.#trials.length === 0) return true;
    const own = ids.filter((id) => this.#cells.has(id));
    const roundMs = this.#turnMs(own) + this.#startMs(own);
    if (performance.now() + roundMs <= this.#endsAtMs * plannedFactor) return true;
    const { allocation, rounds } = this.#run.plan;
    const done = this.#rounds.length;
    const spentMs = performance.now() - this.#run.apartMs + closingMs;
    const neededSeconds = Math.ceil((spentMs + (rounds.length - done) * roundMs) / 10_000) * 10;
    this.#notes.push(
      `The ${seconds(allocation?.budgetMs ?? 0)} of this run ended after ${done} of ${rounds.length} planned rounds. ` +
        `A round takes ${seconds(roundMs)} here: give --budget ${neededSeconds}s, name fewer cells, or lower --sessions or --depth.`,
    );
    return false;
  }

  /** What to measure after the planned rounds; null when the time is over or no contrast needs more. */
  nextTurn(): Turn | null {
    if (this.#endsAtMs === null || this.#run.resources.context.signal.aborted) return null;
    const turn = nextTurn(this.#run.plan, { rounds: this.#rounds, logs: this.#heldLogs() });
    if (turn === null) return null;
    const takesMs = this.#turnMs(turn.cells) + this.#startMs(turn.cells);
    const endMs = performance.now() + takesMs * slowerFactor;
    return endMs > this.#endsAtMs ? null : turn;
  }

  /** Measures the cells with these ids, one after the other. */
  async measure(ids: readonly string[], round: number, then: readonly string[] = []): Promise<void> {
    const cells = [...ids, ...then].flatMap((id) => this.#cells.get(id) ?? []);
    const count = ids.filter((id) => this.#cells.has(id)).length;
    await this.#restart(cells.slice(0, count));
    for (const [place, cell] of cells.slice(0, count).entries()) {
      await this.#measure(cell, round, cells[place + 1]);
    }
  }

  /**
   * Ends the servers and starts them anew if one of the cells was measured on them: each round of a cell has its own
   * start, and an interval over rounds covers what is decided at a start (Kalibera & Jones, "Rigorous Benchmarking in
   * Reasonable Time", ISMM 2013: repetitions at the highest level that varies; one of each lower level costs least
   * when a start takes less time than a round).
   */
  async #restart(cells: readonly Cell[]): Promise<void> {
    const { display, signal } = this.#run.resources.context;
    if (!signal.aborted && this.#isStartDue(cells.map(({ id }) => id))) {
      this.#sinceStart.clear();
      const beginMs = performance.now();
      const names = new Set(cells.map(({ target }) => target));
      for (const failure of await this.#run.resources.targets.restart([...names])) display.message(failure);
      const tookMs = performance.now() - beginMs;
      this.#restartMs.sum += tookMs;
      this.#restartMs.most = Math.max(this.#restartMs.most, tookMs);
    }
    for (const { id } of cells) this.#sinceStart.add(id);
  }

  #isStartDue(ids: readonly string[]): boolean {
    return this.#run.plan.deployments === 'each' && ids.some((id) => this.#sinceStart.has(id));
  }

  /** What a restart before these cells would take, with the longer warm-ups of the first trials. */
  #startMs(ids: readonly string[]): number {
    if (!this.#isStartDue(ids)) return 0;
    const cells = ids.flatMap((id) => this.#cells.get(id) ?? []);
    const clients = new Map(cells.map(({ target, client }) => [target, client]));
    return this.#restartMs.most + breakInsMs(this.#run.plan.timing.warmupMs, clients);
  }

  async #measure(cell: Cell, round: number, next: Cell | undefined): Promise<void> {
    const { plan, artifacts, resources } = this.#run;
    const { id } = cell;
    const { display, signal } = resources.context;
    if (signal.aborted) return;
    const name = `${id}-r${round}`;
    const slice = sliceOf(plan, cell, round);
    const title = slice === undefined ? `round ${round + 1}` : `slice ${slice.slice + 1}`;
    display.trialStarted(`${id} ${title}`, this.#trials.length + 1, this.#trialsExpected());
    const startedMs = performance.now();
    const isOver = round === 0 && this.#firstsEndAtMs !== null && startedMs > this.#firstsEndAtMs;
    const trial = { run: plan, cell, round, slice, next, logPath: artifacts.outcomeLogPath(name) };
    const record = isOver
      ? this.#withoutTime(id)
      : await measureCellAgain(resources, trial, {
          againMax: plan.disturbedAgainMax,
          voidsMax: this.#voidsLeft(id, round),
          mayAgain: this.#mayAgain,
          aside: { artifacts, folder: 'discarded' },
        });
    this.#keep(record);
    const attempts = 1 + (record.discardedTrials?.length ?? 0);
    if (!isOver) this.#tookMs.set(id, (performance.now() - startedMs) / attempts);
    await artifacts.write(artifacts.trialFile(name), record);
    display.trialEnded(describeTrial(record), record.status === 'ok');
    for (const estimate of this.#estimatesWith(id)) display.contrast(estimate);
  }

  /** How many voids of a cell may still be measured again: a cell that is void already gains nothing by it. */
  #voidsLeft(id: string, round: number): number {
    if (this.#voids.has(id)) return 0;
    const planned = this.#run.plan.rounds.filter((ids) => ids.includes(id)).length;
    const used = this.#trials.filter(({ cellId }) => cellId === id).flatMap(voidsBefore).length;
    return voidsAllowed(Math.max(planned, round + 1)) - used;
  }

  measured(): MeasuredRounds {
    const { resources } = this.#run;
    const { plan } = this.#run;
    const done = this.#rounds.filter((ids) => ids.length > 0).length;
    // An interrupted run keeps its plan: each cell reports what was not measured.
    if (resources.context.signal.aborted && done < plan.rounds.length) return { plan, trials: this.#trials };
    const unmeasurable = plan.rounds.map((ids) => ids.filter((id) => !this.#cells.has(id)));
    const rounds = this.#rounds.map((ids, round) => [...ids, ...(unmeasurable[round] ?? [])]);
    if (done === 0) return { plan, trials: this.#trials };
    const notes = [...(plan.notes ?? []), ...this.#notes];
    return { plan: { ...plan, rounds, ...(notes.length === 0 ? {} : { notes }) }, trials: this.#trials };
  }

  #keep(record: TrialRecord): void {
    const { cellId, round } = record;
    this.#trials.push(record);
    this.#plannedLeft -= 1;
    while (this.#rounds.length <= round) this.#rounds.push([]);
    this.#rounds[round]?.push(cellId);
    if (record.status !== 'ok' || !(record.tps > 0)) this.#voids.add(cellId);
    else {
      const logs = this.#logs.get(cellId) ?? new Map<number, number>();
      this.#logs.set(cellId, logs.set(round, Math.log(record.tps)));
    }
  }

  #heldLogs(): ReadonlyMap<string, LogsByRound> {
    return new Map([...this.#logs].filter(([id]) => !this.#voids.has(id)));
  }

  /** The contrasts that a trial of this cell completed, if there are any to show. */
  #estimatesWith(id: string): readonly ContrastEstimate[] {
    const { contrasts = [] } = this.#run.plan;
    const own = contrasts.filter(({ baseline, contender }) => baseline === id || contender === id);
    return contrastEstimates(own, this.#heldLogs()).filter(({ ci95 }) => ci95 !== null);
  }

  /** The record of a cell that the budget has no time for, not even once. */
  #withoutTime(cellId: string): TrialRecord {
    const { allocation, rounds } = this.#run.plan;
    const neededMs = this.#cells.size * rounds.length * this.#trialMs();
    const reason =
      `the budget of ${seconds(allocation?.budgetMs ?? 0)} was over before its first trial: trials take ${seconds(this.#trialMs())} here, ` +
      `${rounds.length} of each cell about ${seconds(neededMs)}; give a longer --budget, name fewer cells, or lower --sessions or --depth`;
    return unmeasuredTrial('void', { cellId, round: 0 }, reason);
  }

  /** The expected duration of one trial of each of these cells, by the last ones. */
  #turnMs(ids: readonly string[]): number {
    return ids.reduce((sum, id) => sum + (this.#tookMs.get(id) ?? this.#trialMs()), 0);
  }

  #trialMs(): number {
    const measuringMs = performance.now() - this.#startedMs - this.#restartMs.sum;
    return measuringMs / Math.max(1, this.#trials.length);
  }

  #trialsExpected(): number {
    const planned = this.#trials.length + Math.max(1, this.#plannedLeft);
    if (this.#endsAtMs === null || this.#trials.length === 0) return planned;
    const leftMs = this.#endsAtMs - performance.now();
    return Math.max(planned, this.#trials.length + Math.floor(leftMs / this.#trialMs()));
  }
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
