import type { Row } from '@fair-bench/contract';
import { writesOf } from './checker.ts';
import { replayOutcomes } from './replay-outcomes.ts';
import type { ReplayInput, ReplayResult } from './replay/finding.ts';
import { neverUs } from './replay/log-format.ts';
import type { Suppose } from './replay/session-replay.ts';
import type { Workload } from './resolved.ts';

/** What acknowledged operations became that the rows contradict: null where the rows do not tell how many. */
export interface Losses {
  /** Acknowledged, and not in the rows. */
  readonly lost: number | null;
  /** Acknowledged once, and twice in the rows. */
  readonly doubled: number | null;
}

export interface LossInput extends Omit<ReplayInput, 'suppose'> {
  /** When the fault began and ended, microseconds of the log's clock. */
  readonly faultUs: readonly [begin: number, end: number];
}

type Replay = (suppose: Suppose) => Promise<ReplayResult>;

const neither: Losses = { lost: null, doubled: null };
/** Rows are read once and kept. */
const rowsMax = 1_000_000;

/**
 * Counts what was lost or doubled where a replay has found a difference, by the history that explains every row: that operations
 * which were outstanding at the fault were carried out twice; or that operations acknowledged shortly before it were lost, the last ones
 * first, as a log loses its end. Null unless exactly one of the two does. Only for workloads whose operations all add or insert: what is
 * set may have been set again, and a read loses nothing.
 */
export async function countLosses(input: LossInput): Promise<Losses> {
  if (!isCountable(input.workload)) return neither;
  const kept = await keptRows(input);
  const replay: Replay = async (suppose) => await replayOutcomes({ ...input, scan: kept, suppose });
  const doubled = await doubledBy(replay, input.faultUs);
  const lost = await lostBy(replay, input.faultUs);
  if (doubled !== null && lost !== null) return neither;
  if (doubled !== null) return { lost: 0, doubled };
  return lost === null ? neither : { lost, doubled: 0 };
}

/** A function that is carried out again is no doubt of sums. */
function isCountable({ description, operations, tables }: Workload): boolean {
  if (description.code !== undefined) return false;
  if (tables.reduce((sum, { rows }) => sum + rows, 0) > rowsMax) return false;
  return description.operations.every((operation, number) => {
    const isDrawn = (operations[number]?.weight ?? 0) > 0;
    const writes = writesOf(operation);
    const isPlain = writes.length > 0 && writes.every(({ kind }) => kind === 'add' || kind === 'insert');
    return !isDrawn || (isPlain && !JSON.stringify(operation.effects).includes('"ifMissing":true'));
  });
}

async function keptRows({
  workload,
  scan,
  signal,
}: LossInput): Promise<(table: number) => AsyncIterable<readonly Row[]>> {
  const pages = new Map<number, (readonly Row[])[]>();
  for (const { number } of workload.tables) {
    const own: (readonly Row[])[] = [];
    for await (const page of scan(number, signal)) own.push(page);
    pages.set(number, own);
  }
  return async function* (table) {
    for (const page of pages.get(table) ?? []) yield await Promise.resolve(page);
  };
}

/** Operations that were outstanding at some moment of the fault, if carrying some of them out twice explains the rows; never 0. */
async function doubledBy(replay: Replay, [beginUs, endUs]: LossInput['faultUs']): Promise<number | null> {
  const asked = new Set<string>();
  const { status, appliedInDoubt } = await replay((operation) => {
    const { sentUs, settledUs } = operation;
    if (settledUs === neverUs || sentUs > endUs || settledUs < beginUs) return 'applied';
    asked.add(nameOf(operation));
    return 'applied-maybe-twice';
  });
  if (status !== 'passed' || appliedInDoubt === undefined) return null;
  return countOf(appliedInDoubt.filter((one) => asked.has(nameOf(one))));
}

/** How long before the fault a lost operation was acknowledged at most, in turn. */
const spansUs = [1, 10, 50, 200, 1_000, 4_000, 16_000, 64_000].map((ms) => ms * 1_000);
/** Thirds that are cut off a span: then a fiftieth of it is in question. */
const cuts = 10;

async function lostBy(replay: Replay, [beginUs, endUs]: LossInput['faultUs']): Promise<number | null> {
  for (const spanUs of spansUs) {
    const span = { fromUs: beginUs - spanUs, untilUs: endUs };
    const found = (await lostAs(replay, span, Infinity)) ?? (await lostSuffix(replay, span));
    if (found !== null || spanUs > beginUs) return found;
  }
  return null;
}

interface Span {
  readonly fromUs: number;
  readonly untilUs: number;
}

/**
 * Where too many are lost to decide on each: all that were acknowledged after some moment are, and those around it are decided one by
 * one. The moment leaves the fewest rows unexplained, which rise on both sides of it.
 */
async function lostSuffix(replay: Replay, { fromUs, untilUs }: Span): Promise<number | null> {
  const differingAt = async (momentUs: number): Promise<number> => {
    const found = await replay(({ settledUs }) =>
      settledUs > momentUs && settledUs <= untilUs ? 'undone' : 'applied',
    );
    return found.mismatches;
  };
  let [lowUs, highUs] = [fromUs, untilUs];
  for (let cut = 0; cut < cuts; cut += 1) {
    const [leftUs, rightUs] = [lowUs + (highUs - lowUs) / 3, highUs - (highUs - lowUs) / 3];
    if ((await differingAt(leftUs)) <= (await differingAt(rightUs))) highUs = rightUs;
    else lowUs = leftUs;
  }
  const marginUs = Math.max(50_000, highUs - lowUs);
  return await lostAs(replay, { fromUs: lowUs - marginUs, untilUs }, highUs + marginUs);
}

/** If all that were acknowledged later than `surelyUs` are lost, and any of the others in the span: how many, if that explains the rows. */
async function lostAs(replay: Replay, { fromUs, untilUs }: Span, surelyUs: number): Promise<number | null> {
  const [lost, asked] = [new Set<string>(), new Set<string>()];
  const { status, appliedInDoubt } = await replay((operation) => {
    const { settledUs } = operation;
    if (settledUs < fromUs || settledUs > untilUs) return 'applied';
    const isLost = settledUs > surelyUs;
    (isLost ? lost : asked).add(nameOf(operation));
    return isLost ? 'undone' : 'in-doubt';
  });
  if (status !== 'passed' || appliedInDoubt === undefined) return null;
  for (const one of appliedInDoubt) asked.delete(nameOf(one));
  return countOf([...lost, ...asked]);
}

/** A history in which nothing was lost or doubled explains nothing. */
function countOf(found: readonly unknown[]): number | null {
  return found.length === 0 ? null : found.length;
}

function nameOf({ session, sequence }: { readonly session: number; readonly sequence: number }): string {
  return `${session} ${sequence}`;
}
