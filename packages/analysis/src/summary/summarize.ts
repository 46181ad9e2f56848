import {
  type RunSummary,
  type SummaryInput,
  describeLoops,
  runSummarySchema,
  withoutUnauditedNumber,
} from '@fair-bench/results';
import { noiseFloorFor, withNoiseFloor } from '../noise-floor/noise-floor.ts';
import { assessParity } from '../parity/assess-parity.ts';
import { findSweeps } from '../sweeps/find-sweeps.ts';
import { concludeStudy } from './conclude-study.ts';
import { summarizeCell } from './cell-summary.ts';
import { compareCells } from './comparisons.ts';

/**
 * From artifacts to the summary: pure, the same bytes for the same input. Every cell of the plan is in it.
 * Throws a ZodError when what comes out is no summary of the contract.
 */
export function summarize(input: SummaryInput): RunSummary {
  const { plan, environment, startedAt, endedAt, interrupted, figures, search = [], study = {} } = input;
  const trials = input.trials.map(withoutUnauditedNumber).toSorted((a, b) => a.round - b.round);
  const { rows, verdict } = assessParity({ plan, targets: input.targets, trials });
  const noiseFloor =
    input.noiseFloor === undefined ? null : noiseFloorFor(input.noiseFloor, plan.rounds.length);
  const [firstCell] = plan.cells;
  const cells = plan.cells.map((cell) =>
    summarizeCell({
      cell,
      planned: plan.targets.find(({ target }) => target === cell.target),
      outcome: input.targets.find(({ target }) => target === cell.target),
      unavailable: input.unavailableCells?.find(({ cellId }) => cellId === cell.id),
      rounds: plan.rounds.length,
      interrupted,
      trials: trials.filter(({ cellId }) => cellId === cell.id),
    }),
  );
  const sweeps = findSweeps(cells, noiseFloor?.ratio);
  return runSummarySchema.parse({
    schemaVersion: 1,
    run: {
      id: plan.id,
      mode: plan.mode,
      workload: firstCell?.workload ?? study.claim?.claim.workload,
      seed: plan.seed,
      startedAt,
      endedAt,
      interrupted,
      command: describeCommand(plan.command),
      environment,
      rounds: plan.rounds.length,
      durationMs: plan.timing.windowMs,
      warmupMs: plan.timing.warmupMs,
      loop: describeLoops(plan, plan.cells),
      ...(plan.inDoubtShareMax === undefined ? {} : { inDoubtShareMax: plan.inDoubtShareMax }),
      ...(plan.notes === undefined ? {} : { notes: plan.notes }),
    },
    verdict,
    parity: rows,
    cells,
    comparisons: compareCells(plan, trials).map((each) => withNoiseFloor(each, noiseFloor)),
    ...(figures === undefined ? {} : { figures }),
    ...(search.length === 0 ? {} : { search }),
    ...concludeStudy(study, { plan, cells, trials, elapsedMs: Date.parse(endedAt) - Date.parse(startedAt) }),
    ...(sweeps.length === 0 ? {} : { sweeps }),
    ...(noiseFloor === null ? {} : { noiseFloor }),
  });
}

/** The command that a person types to run the same again: into a folder of its own, as a folder holds one run. */
function describeCommand([script, ...words]: readonly string[]): string {
  if (script === undefined) return '';
  const options = words.filter((word, index) => words[index - 1] !== '--out' && !/^--out(=|$)/.test(word));
  return ['npm run', script, ...(options.length === 0 ? [] : ['--', ...options.map(quoted)])].join(' ');
}

function quoted(word: string): string {
  return /^[A-Za-z0-9@%+=:,./_-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
