import { brokenByMachine, mayBeTheMachines, notAudited } from '@fair-bench/analysis';
import type { TrialRecord } from '@fair-bench/results';
import { againMax } from '../short-trial.ts';

/** The code of the audit rule that voids a trial of a liar; null for one that only warns of it. */
interface OwnRule {
  readonly rule: string | null;
  /** Others that may see it too, because it lies about several things at once, and why no liar of ours can lie about one. */
  readonly also?: readonly string[];
}

/** What is counted and not done is missing from every count, and canaries are not spared. */
const undone = [
  'acknowledged-early',
  'acknowledged-undone',
  'acknowledged-ahead',
  'canaries-declined',
  'canaries-unread',
  'commit-counter',
  'server-counter',
  'window-work',
  'window-clock',
  'device-flushes',
  'flushes-of-others',
  'database-flushes',
  'server-writes',
];
/** Work that is done much later is missing at many moments, perhaps even in the end, and queues at the server. */
const late = [...undone, 'in-flight', 'state'];
/** Another connection that looks for an operation's exact effect sees what is written otherwise. */
const otherwise = ['acknowledged-undone'];
/** Where nothing else flushes the disk, its counter shows it too, and what the server wrote. */
const deviceToo = ['device-flushes', 'server-writes'];
/** What is in flight beyond the stated depth takes longer, and is drained. */
const inFlight = ['littles-law-above', 'latency-record'];

/** Every liar of `test/liars`, by the name under which tests run it. Whatever no rule here names must hold. */
export const ownRules = {
  // Sessions.
  'skips-the-write': { rule: 'state', also: undone },
  // Twice the work is twice the commits.
  'writes-twice': { rule: 'state', also: ['unexplained-commits', ...otherwise] },
  'swaps-arguments': { rule: 'state', also: otherwise },
  'writes-another-row': { rule: 'state', also: otherwise },
  'acknowledges-and-loses': { rule: 'state', also: undone },
  'counts-faults': { rule: 'state', also: undone },
  'counts-declines': { rule: 'state', also: undone },
  'declines-hot-rows': { rule: 'state' },
  'declines-what-is-contended': { rule: 'state' },
  'drops-one-in-ten-thousand': { rule: 'state', also: undone },
  'answers-with-another-row': { rule: 'state' },
  'answers-without-the-row': { rule: 'state' },
  'leaves-one-of-many-out': { rule: 'state' },
  'answers-with-an-older-row': { rule: 'state' },
  'answers-with-a-torn-row': { rule: 'state' },
  'sends-simple-queries': { rule: 'statement-protocol' },
  // Where rows stay as they were seeded, one of its copies may be older than a change.
  'reads-from-a-cache': { rule: 'transaction-counter', also: ['stale-reads'] },
  'reads-from-a-cache-and-commits': { rule: 'scan-counter' },
  'reads-behind-its-cache': { rule: 'stale-reads' },
  'acknowledges-early-for-a-while': { rule: 'acknowledged-ahead', also: ['acknowledged-undone'] },
  'acknowledges-oldest-first': { rule: 'acknowledged-undone' },
  'declines-canaries': { rule: 'canaries-declined' },
  'burns-ids': { rule: 'unexplained-commits' },
  'batches-operations': { rule: 'one-transaction-each' },
  'batches-in-parts': { rule: 'one-transaction-each' },
  // Every operation is a commit and, without a pipeline of its own, a request.
  'splits-batches': { rule: 'batch-commits' },
  'acknowledges-batches-early': { rule: 'acknowledged-early', also: late },
  'holds-replies': { rule: 'reply-bursts' },
  'exceeds-its-depth': { rule: 'in-flight', also: late },
  'holds-operations-back': { rule: null },
  // Whoever does not know the canaries is ahead of the counts too: `acknowledges-canaries-early` is not.
  'acknowledges-canaries-early': { rule: 'acknowledged-early' },
  'acknowledges-early': { rule: 'acknowledged-early', also: late },
  'acknowledges-sixteen-early': { rule: 'acknowledged-early', also: late },
  'early-rpc-server': { rule: 'acknowledged-early', also: late },
  'early-postgres-proxy': { rule: 'acknowledged-early', also: late },
  // Engines inside the load client.
  'acknowledges-before-its-commit': { rule: 'acknowledged-early', also: late },
  'reads-what-was': { rule: 'state' },
  'reads-a-letter-wrong': { rule: 'state' },
  // Load clients.
  'halves-latency': { rule: 'littles-law' },
  'halves-percentiles': { rule: 'latency-record' },
  'slows-its-clock': { rule: 'window-clock' },
  'slows-its-clock-more': { rule: 'window-clock' },
  'counts-its-warm-up': { rule: 'window-work' },
  'counts-the-end-of-its-warm-up': { rule: 'window-work' },
  'hides-what-it-never-started': { rule: 'offered-load' },
  'halves-what-waited': { rule: 'offered-load' },
  'keeps-its-window-short': { rule: 'window-length' },
  'leaves-canaries-out': { rule: 'canaries-unread' },
  'doubles-depth': { rule: 'in-flight', also: inFlight },
  'doubles-depth-and-hides-it': { rule: 'in-flight', also: inFlight },
  // One among several machines.
  'slows-its-clock-among-others': { rule: 'agent-windows' },
  'begins-its-window-late': { rule: 'agent-windows' },
  'has-a-clock-behind': { rule: 'agent-windows' },
  'has-a-clock-ahead': { rule: 'agent-windows' },
  'sends-twice': { rule: 'state', also: ['unexplained-commits', ...otherwise] },
  // Deployments.
  'claims-durability-without-fsync': { rule: 'database-flushes', also: deviceToo },
  'claims-durability-without-waiting': {
    rule: 'database-flushes',
    also: [...deviceToo, 'visible-before-flushed'],
  },
  'leads-past-the-pooler': { rule: 'past-the-pooler' },
  'leads-to-another-pooler': { rule: 'past-the-pooler' },
  'names-another-pooler': { rule: 'other-pooler' },
  'claims-a-smaller-pool': { rule: 'pool-exceeded' },
  'caching-pooler-double': { rule: 'transaction-counter' },
  'changes-settings-and-back': { rule: 'settings-in-window' },
  'commits-async-itself': { rule: 'visible-before-flushed' },
  'keeps-its-log-in-memory': { rule: 'log-in-memory' },
  'claims-a-disk': { rule: 'server-writes' },
  'hides-its-server': { rule: 'flushes-of-others' },
  'fails-what-waits': { rule: 'too-many-faults' },
  'checks-before-it-locks': { rule: 'state' },
  'checks-nothing': { rule: 'state' },
  'sells-below-zero': { rule: 'state' },
  // What two operations made of the same row is an anomaly, and an order that is delivered twice breaks conditions too.
  'takes-no-locks': { rule: 'state', also: ['isolation', 'conditions', ...otherwise] },
  'books-a-seat-twice': { rule: 'state', also: otherwise },
  'hands-a-job-to-two': { rule: 'state', also: otherwise },
  'forgets-an-upsert': { rule: 'state', also: otherwise },
  'answers-with-the-correction': { rule: 'state' },
  'seeds-nothing': { rule: 'state', also: undone },
  'seeds-nothing-and-declines': { rule: 'only-refused-work', also: ['state', ...undone] },
} as const satisfies Readonly<Record<string, OwnRule>>;

export type LiarName = keyof typeof ownRules;

/** Its own rule and the others that may see it too. */
function rulesOf(liar: LiarName): readonly (string | null)[] {
  const { rule, also = [] }: OwnRule = ownRules[liar];
  return [rule, ...also];
}

/** The rules that voided a liar's trial and should not have, or its own if it did not; empty where it was caught as it should be. */
export function caughtOtherwise(liar: LiarName, record: TrialRecord): readonly string[] {
  const { rule } = ownRules[liar];
  const codes = record.status === 'void' ? (record.voidBy ?? [record.reason]) : [];
  const own = rulesOf(liar);
  const missed = rule === null || codes.some((code) => own.includes(code)) ? [] : [`not by ${rule}`];
  // A busy machine breaks some rules in any trial, and says nothing of the liar.
  const others = codes.filter((code) => !own.includes(code) && !brokenByMachine.has(code));
  return [...missed, ...others];
}

/** Measures again while the machine has voided the trial of a liar, or of anyone else (null), at most `againMax` times. */
export async function measuredUndisturbed(
  liar: LiarName | null,
  measure: () => Promise<TrialRecord>,
): Promise<TrialRecord> {
  let record = await measure();
  for (let again = 0; again < againMax && isDisturbed(liar, record); again += 1) record = await measure();
  return record;
}

/**
 * Whether the machine has voided a trial: of a liar, also beside what the liar broke, so that the reasons are the liar's
 * own; of anyone else (null), only if nothing else did.
 */
function isDisturbed(liar: LiarName | null, record: TrialRecord): boolean {
  if (liar === null || record.status !== 'void') return mayBeTheMachines(record);
  const own = rulesOf(liar);
  return (record.voidBy ?? [notAudited]).some((code) => brokenByMachine.has(code) && !own.includes(code));
}
