import { CodeReplay } from './replay.ts';
import { countsOf, disagreement, refusalOf } from '../replay/counts.ts';
import { examplesMax, type Mismatches } from '../replay/growing.ts';
import { inDoubtShareMaxDefault, type ReplayInput, type ReplayResult } from '../replay/finding.ts';
import type { Asserted } from '../replay/stated.ts';

/** The replay of a workload whose operations are in code: they are carried out again in the order that their chains give. */
export async function replayInCode(input: ReplayInput): Promise<ReplayResult> {
  const { workload, logs, scan, signal, unwritten = new Set<number>() } = input;
  const replay = new CodeReplay(workload, logs, input.windowUs ?? null);
  const counts = countsOf(replay.sessions);
  const { drawn, inDoubt } = counts;
  const shareMax = input.inDoubtShareMax ?? inDoubtShareMaxDefault;
  const asserted = { asserted: statedInCode(input), readsOfEvery: 1, couldHide: 0 };
  const refusal =
    disagreement(counts, input.reported) ?? refusalOf(replay.sessions, drawn, inDoubt, shareMax);
  if (refusal !== null) {
    const failure = { mismatches: 1, reason: refusal, examples: [] };
    return { status: 'failed', rowsChecked: 0, inDoubt, ...failure, ...asserted, couldHide: drawn };
  }
  const {
    mismatches: all,
    order,
    rowsChecked,
    conditions,
    ...found
  } = await replay.run(scan, unwritten, signal);
  const { anomalies, examples } = order;
  const seen = {
    isolation: { operations: found.compared, anomalies, examples },
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(found.operations === null ? {} : { operations: found.operations }),
  };
  const kinds = all.filter(({ count }) => count > 0);
  if (kinds.length === 0) {
    const { inDoubtApplied } = found;
    return { status: 'passed', rowsChecked, mismatches: 0, inDoubt, inDoubtApplied, ...seen, ...asserted };
  }
  return {
    status: 'failed',
    rowsChecked,
    inDoubt,
    mismatches: kinds.reduce((sum, { count }) => sum + count, 0),
    reason: kinds.map(({ count, what }) => `${count} ${what}`).join(', '),
    examples: kinds.flatMap(examplesOf).slice(0, 2 * examplesMax),
    ...seen,
    ...asserted,
  };
}

function statedInCode({ workload }: ReplayInput): Asserted[] {
  return workload.operations.map(({ name, writes, returns }) => ({
    operation: name,
    assertions: [
      'it is carried out again, in the order in which the operations found what others had left',
      ...(writes ? ['every row that it writes, in the end, and each number of a chain once'] : []),
      ...('fields' in returns ? ['every field of its reply that the workload states'] : []),
    ],
    notAsserted: writes
      ? []
      : ['a reply whose parts are of several moments, where the isolation in force permits that'],
  }));
}

function examplesOf({ what, examples }: Mismatches): string[] {
  return examples.map((example) => `${what}: ${example}`);
}
