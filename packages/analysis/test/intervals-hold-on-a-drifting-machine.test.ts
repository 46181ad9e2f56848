import type { ExplainDesign, IndexedRun, RunPlan } from '@fair-bench/results';
import type { Interval } from '@fair-bench/contract';
import { describe, expect, test } from 'vitest';
import { driftingMachine, trialSeconds } from '@fair-bench/results/test-support';
import { compareCells } from '../src/compare/compare-cells.ts';
import { explainTrials } from '../src/explain/explain.ts';
import { summarize } from '../src/index.ts';
import { environment, passedTrial, planOf, present, runOf } from '../src/test-support/trial-records.ts';

/** Contrasts of a run, by fixed rounds, by budget and by precision, are in `rounds-answer-their-contrasts.test.ts`. */
const repetitions = 1500;

function holds(ci95: Interval | null | undefined): boolean {
  return ci95 !== null && ci95 !== undefined && ci95[0] <= 1 && ci95[1] >= 1;
}

describe('an explanation on a machine that drifts and stalls, in which no factor has an effect', () => {
  test.each([
    ['five rounds of every cell', 5, 0],
    ['five rounds of every cell, and seven more of the ends and the architecture', 5, 7],
  ])('%s: its 95 %% intervals have the truth in 94 to 97 of 100 runs', (_, rounds, coreRounds) => {
    const { design, plan } = designOf(rounds, coreRounds);
    const template = passedTrial({ cell: present(plan.cells[0]), round: 0, applied: 1 });
    const held = { headline: 0, architecture: 0 };
    for (let seed = 0; seed < repetitions; seed += 1) {
      const machine = driftingMachine(seed * 104_729 + 11);
      const trials = plan.rounds.flatMap((ids, round) =>
        ids.map((cellId) => ({ ...template, cellId, round, tps: 1000 * Math.exp(machine.trial(cellId)) })),
      );
      const { ci95, architecture } = present(explainTrials(design, plan, trials) ?? undefined);
      if (holds(ci95)) held.headline += 1;
      if (holds(architecture?.corners[0]?.ci95)) held.architecture += 1;
    }
    for (const count of Object.values(held)) {
      expect(count / repetitions).toBeGreaterThan(0.94);
      expect(count / repetitions).toBeLessThan(0.97);
    }
  });
});

/** Two factors and the architecture on one path: 0, 1, 11, 111, with the last step between the systems; ABBA. */
function designOf(
  rounds: number,
  coreRounds: number,
): { readonly design: ExplainDesign; readonly plan: RunPlan } {
  const masks = [0, 1, 3, 7];
  const plan = planOf({ targets: masks.map((mask) => `cell-m${mask}`), rounds: rounds + coreRounds });
  const ids = plan.cells.map(({ id }) => id);
  const core = ids.filter((_id, place) => place !== 1);
  for (const round of plan.rounds.keys()) {
    const due = round < rounds ? ids : core;
    plan.rounds[round] = round % 2 === 0 ? due : due.toReversed();
  }
  const change = (name: string) => ({ name, from: 'a', to: 'b', isArchitecture: name === 'architecture' });
  const design: ExplainDesign = {
    from: 'one',
    to: 'other',
    changes: ['hop', 'depth', 'architecture'].map(change),
    cells: masks.map((mask, place) => ({ mask, cellId: present(ids[place]) })),
    groups: [[0], [1], [2]],
    merged: [],
    possible: masks,
    withArchitecture: [],
    ofOneSystem: [],
    skipped: [],
  };
  return { design, plan };
}

describe('runs of one target on a machine that drifts and stalls', () => {
  const rounds = 8;
  /** As far apart as the rounds of a default run. */
  const roundSeconds = 36;
  const runsKnown = 12;
  const plan = planOf({ targets: ['a'], rounds });
  const cell = present(plan.cells[0]);
  const like = summarize(runOf(plan, (one, round) => passedTrial({ cell: one, round, applied: 2000 })));

  function* runsOn(seed: number): Generator<number[], never> {
    const machine = driftingMachine(seed);
    for (;;) {
      machine.wait(86_400);
      yield Array.from({ length: rounds }, () => {
        machine.wait(roundSeconds - trialSeconds);
        return 1000 * Math.exp(machine.trial(cell.id));
      });
    }
  }
  const summaryOf = (startedAt: string, trials: readonly number[]): typeof like => ({
    ...like,
    run: { ...like.run, startedAt },
    cells: like.cells.map((one) =>
      one.status === 'ok' ? { ...one, tps: { ...one.tps, trials: [...trials] } } : one,
    ),
  });
  const indexed = (trials: readonly number[], index: number): IndexedRun => ({
    folder: `run-${index}`,
    savedAtMs: 0,
    startedAt: `2026-10-${10 + index}T00:00:00.000Z`,
    mode: 'fair',
    machine: { cpuModel: environment.cpu.model, cores: 2, kernel: environment.os.kernel },
    commit: null,
    warmupMs: plan.timing.warmupMs,
    windowMs: plan.timing.windowMs,
    cells: [
      {
        id: cell.id,
        target: cell.target,
        version: '1',
        workloadSha256: plan.workloadSha256,
        parameters: cell.parameters,
        loop: like.run.loop,
        trials: [...trials],
      },
    ],
  });

  test('compare: its 95 % intervals have the truth in 94 to 97 of 100 comparisons', () => {
    let held = 0;
    for (let seed = 0; seed < repetitions; seed += 1) {
      const runs = runsOn(seed * 15_485_863 + 5);
      const next = (): number[] => present(runs.next().value);
      const history = Array.from({ length: runsKnown }, (_, index) => indexed(next(), index));
      const before = summaryOf('2026-11-01T00:00:00.000Z', next());
      const after = summaryOf('2026-11-02T00:00:00.000Z', next());
      const [change] = compareCells(before, after, history);
      if (change?.kind === 'compared' && holds(change.change.ci95)) held += 1;
    }
    expect(held / repetitions).toBeGreaterThan(0.94);
    expect(held / repetitions).toBeLessThan(0.97);
  });
});
