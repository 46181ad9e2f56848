import { replayOutcomes } from './replay-outcomes.ts';
import type { ReplayInput, ReplayResult } from './replay/finding.ts';
import type { Suppose } from './replay/session-replay.ts';

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

/**
 * Counts what was lost or doubled where a replay has found a difference, by the history that explains the rows: first that
 * operations which were outstanding at the fault were carried out twice; then that operations acknowledged shortly before it
 * were lost, the last ones first, as a log loses its end. Null where no such history explains every row.
 */
export async function countLosses(input: LossInput): Promise<Losses> {
  // A function carried out again is no doubt of sums.
  if (input.workload.description.code !== undefined) return neither;
  const replay: Replay = async (suppose) => await replayOutcomes({ ...input, suppose });
  const doubled = await doubledBy(replay, input.faultUs);
  if (doubled !== null) return { lost: 0, doubled };
  const lost = await lostBy(replay, input.faultUs);
  return lost === null ? neither : { lost, doubled: 0 };
}

/** Operations that were outstanding at some moment of the fault, if carrying some of them out twice explains the rows. */
async function doubledBy(replay: Replay, [beginUs, endUs]: LossInput['faultUs']): Promise<number | null> {
  const asked = new Set<string>();
  const { status, appliedInDoubt } = await replay((operation) => {
    if (operation.sentUs > endUs || operation.settledUs < beginUs) return 'applied';
    asked.add(nameOf(operation));
    return 'applied-maybe-twice';
  });
  if (status !== 'passed' || appliedInDoubt === undefined) return null;
  return appliedInDoubt.filter((one) => asked.has(nameOf(one))).length;
}

/** How long before the fault a lost operation was acknowledged at most, in turn. */
const spansUs = [1, 10, 50, 200, 1_000, 4_000, 16_000, 64_000].map((ms) => ms * 1_000);
/** Halvings of a span: until a thousandth of it is in question. */
const halvings = 10;

async function lostBy(replay: Replay, [beginUs, endUs]: LossInput['faultUs']): Promise<number | null> {
  for (const spanUs of spansUs) {
    const found =
      (await lostSince(replay, { fromUs: beginUs - spanUs, untilUs: endUs })) ??
      (await lostSuffix(replay, { fromUs: beginUs - spanUs, untilUs: endUs }));
    if (found !== null) return found;
  }
  return null;
}

interface Span {
  readonly fromUs: number;
  readonly untilUs: number;
}

/** If the loss of any operations that were acknowledged in the span explains the rows: how many. */
async function lostSince(replay: Replay, { fromUs, untilUs }: Span): Promise<number | null> {
  const asked = new Set<string>();
  const { status, appliedInDoubt } = await replay(({ session, sequence, settledUs }) => {
    if (settledUs < fromUs || settledUs > untilUs) return 'applied';
    asked.add(nameOf({ session, sequence }));
    return 'in-doubt';
  });
  if (status !== 'passed' || appliedInDoubt === undefined) return null;
  for (const one of appliedInDoubt) asked.delete(nameOf(one));
  return asked.size;
}

/**
 * The same where too many are lost to decide on each: all that were acknowledged after some moment are, and those around it are
 * decided one by one. The moment leaves the fewest rows unexplained, which rise on both sides of it.
 */
async function lostSuffix(replay: Replay, { fromUs, untilUs }: Span): Promise<number | null> {
  const differingAt = async (momentUs: number): Promise<number> =>
    (await replay(({ settledUs }) => (settledUs > momentUs && settledUs <= untilUs ? 'undone' : 'applied')))
      .mismatches;
  let [lowUs, highUs] = [fromUs, untilUs];
  for (let halving = 0; halving < halvings; halving += 1) {
    const [leftUs, rightUs] = [lowUs + (highUs - lowUs) / 3, highUs - (highUs - lowUs) / 3];
    if ((await differingAt(leftUs)) <= (await differingAt(rightUs))) highUs = rightUs;
    else lowUs = leftUs;
  }
  const marginUs = Math.max(50_000, highUs - lowUs);
  const [surelyKeptUs, surelyLostUs] = [lowUs - marginUs, highUs + marginUs];
  const lost = new Set<string>();
  const asked = new Set<string>();
  const { status, appliedInDoubt } = await replay(({ session, sequence, settledUs }) => {
    if (settledUs <= surelyKeptUs || settledUs > untilUs) return 'applied';
    if (settledUs > surelyLostUs) {
      lost.add(nameOf({ session, sequence }));
      return 'undone';
    }
    asked.add(nameOf({ session, sequence }));
    return 'in-doubt';
  });
  if (status !== 'passed' || appliedInDoubt === undefined) return null;
  for (const one of appliedInDoubt) asked.delete(nameOf(one));
  return lost.size + asked.size;
}

function nameOf({ session, sequence }: { readonly session: number; readonly sequence: number }): string {
  return `${session} ${sequence}`;
}
