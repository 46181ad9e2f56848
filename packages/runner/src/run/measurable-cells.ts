import type { Cell, Question, RunPlan, UnavailableCell } from '@fair-bench/results';
import { coldLack } from '../measure/cold-start.ts';
import type { CellClient } from '../measure/load-clients.ts';
import type { TargetState } from '../provision/targets.ts';
import type { Provisioned, Started } from './provision-run.ts';

/** Why a cell cannot be measured here; null if it can. */
export function lackIn({
  states,
  resources,
}: Pick<Started, 'states' | 'resources'>): (cell: Cell) => string | null {
  return (cell) => lackOf(states.get(cell.target), resources.clients.of(cell));
}

function lackOf(state: TargetState | undefined, client: CellClient): string | null {
  if (state?.status === 'unavailable' || state?.status === 'lost') return `${state.reason}; ${state.remedy}`;
  if (state?.status !== 'ready') return 'interrupted while it was started';
  return client.available ? null : `${client.reason}; ${client.remedy}`;
}

/** The cells of a plan that are not measured, with the reason, though their targets are available. */
export function unavailableCells(
  plan: RunPlan,
  provisioned: Provisioned,
  question: Question,
): readonly UnavailableCell[] {
  const lacking = lackIn(provisioned);
  const isAborted = provisioned.resources.context.signal.aborted;
  const broken = isAborted ? [] : cellsWithBrokenEnds(question, plan, (cell) => lacking(cell) === null);
  return [...cellsWithoutMeans(plan, provisioned), ...broken];
}

/** Cells of available targets without a load client, or that cannot have the requested processors or memory, or begin cold. */
function cellsWithoutMeans(plan: RunPlan, { resources, states }: Provisioned): UnavailableCell[] {
  const { clients, cores, memory } = resources;
  return plan.cells.flatMap((cell) => {
    const client = clients.of(cell);
    if (!client.available) return [{ cellId: cell.id, reason: client.reason, remedy: client.remedy }];
    const state = states.get(cell.target);
    const lack =
      state?.status === 'ready'
        ? (cores.lack(cell, state.facts) ?? memory.lack(cell, state.facts) ?? coldLack(cell, state.facts))
        : null;
    return lack === null ? [] : [{ cellId: cell.id, ...lack }];
  });
}

/**
 * The cells between two ends of which one is unavailable: they would explain nothing, so they are not measured. Empty
 * if both ends are available, or no gap is explained.
 */
function cellsWithBrokenEnds(
  { explain }: Question,
  { cells }: RunPlan,
  isMeasurable: (cell: Cell) => boolean,
): readonly UnavailableCell[] {
  if (explain === undefined) return [];
  const last = 2 ** explain.changes.length - 1;
  const ends = explain.cells.filter(({ mask }) => mask === 0 || mask === last);
  const lost = cells.filter((cell) => ends.some(({ cellId }) => cellId === cell.id) && !isMeasurable(cell));
  if (lost.length === 0) return [];
  const reason = `an end of the gap is unavailable: ${lost.map(({ id }) => id).join(', ')}`;
  return cells
    .filter(isMeasurable)
    .map(({ id }) => ({ cellId: id, reason, remedy: 'make both targets available and run again' }));
}
