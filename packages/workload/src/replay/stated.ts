import { type AppliedRule, appliedRules } from './applied-rules.ts';
import type { BoundEffect, BoundOperation, BoundRule } from './bind.ts';
import type { Follows } from './rows.ts';

/** What the replay of a trial checks of one operation, and what not, in words for the report. */
export interface Asserted {
  readonly operation: string;
  readonly assertions: readonly string[];
  readonly notAsserted: readonly string[];
}

interface Logged {
  /** Reads of every so many rows were logged. */
  readonly readsOfEvery: number;
  /** Values that are not unique. */
  readonly repeated: number;
}

export function statedOf(bound: BoundOperation, follows: Follows, logged: Logged): Asserted {
  const rules = appliedRules(bound);
  return {
    operation: bound.operation.name,
    assertions: [
      ...effectsOf(bound),
      ...rulesOf(bound, rules),
      ...repliesOf(bound, follows, logged),
      ...(returnsVersions(bound)
        ? [
            'versions: each that was found was written once, and the last one by nobody replaced; anomalies are named, and void where the level in force forbids them',
          ]
        : []),
      ...(logged.repeated > 0
        ? [`${logged.repeated} values are not unique: of these only the writers, and the last one`]
        : []),
    ],
    notAsserted: [
      ...notOfRules(bound, rules, follows),
      ...(bound.effects.some((effect) => effect.kind === 'delete' && effect.row.first !== null)
        ? ['which of the rows that were there it takes, and what it returns beside the key']
        : []),
      ...notOfReplies(bound, follows),
      ...(returnsVersions(bound)
        ? ['isolation of rows that are found by more than their key (phantoms), or that are inserted']
        : []),
    ],
  };
}

function returnsVersions({ found }: BoundOperation): boolean {
  return found.some((field) => field !== null && field.row.table.columns[field.column]?.writer !== undefined);
}

function effectsOf({ effects, rules }: BoundOperation): string[] {
  const kinds = new Set(effects.map(({ kind }) => kind));
  const assertions: string[] = [];
  const isSummed = effects.some(
    (effect) => effect.kind === 'add' && effect.row.table.columns[effect.column]?.writer === undefined,
  );
  if (isSummed) assertions.push('the sum of all applied operations, for every row');
  if (kinds.has('insert')) {
    const free = effects.flatMap((effect) => (effect.kind === 'insert' ? uncheckedOf(effect) : []));
    const but = free.length === 0 ? '' : ` (any value in ${free.join(', ')})`;
    assertions.push(`every inserted row exists once and whole${but}, and no other row exists`);
  }
  if (kinds.has('delete'))
    assertions.push(
      'a row that is deleted was there, no other operation deleted it too, and it is not there in the end',
    );
  if (kinds.has('set')) assertions.push('the last writer of every value is one that can have been last');
  if (rules.length > 0) {
    const isInTime = rules.some(({ rule }) => comparesSum(rule));
    assertions.push(`declines: some state ${isInTime ? 'at its time' : 'of the trial'} permits each`);
  }
  return assertions;
}

function comparesSum(rule: BoundRule): boolean {
  if ('row' in rule) return false;
  return [rule.left, rule.right].some(
    (each) => each.kind === 'column' && each.row.table.columns[each.column]?.added === true,
  );
}

/** Columns of an inserted row whose value the server chooses, and does not say. */
function uncheckedOf({ table, columns }: Extract<BoundEffect, { kind: 'insert' }>): string[] {
  return table.columns.filter((_, place) => columns[place]?.kind === 'unchecked').map(({ name }) => name);
}

/** What each kind of rule is judged by, of applied operations. */
const judgedBy = {
  arguments: 'applied only with arguments that permit it',
  presence: 'applied only where the inserts and their times permit it',
  sum: 'some order of each row’s operations permits all that were applied',
  value: 'some order of each row’s operations, within their times, permits all that were applied',
} as const;

function rulesOf(bound: BoundOperation, rules: readonly AppliedRule[]): string[] {
  return (['arguments', 'presence', 'sum', 'value'] as const).flatMap((kind) =>
    named(bound, rules, judgedBy[kind], (rule) => rule.kind === kind && !onlyFinds(bound, rule)),
  );
}

function notOfRules(bound: BoundOperation, rules: readonly AppliedRule[], follows: Follows): string[] {
  const { rows } = bound.operation.description;
  const compared = rules.filter(
    (rule) => rule.kind === 'sum' || rule.kind === 'value' || rule.kind === 'bounds',
  );
  const isOfMany =
    rows.length > 1 || bound.effects.length > 1 || bound.effects.some(({ list }) => list !== null);
  const everyRule = follows.operations.flatMap(appliedRules);
  const hasOpposite = (rule: AppliedRule): boolean =>
    rule.kind === 'sum' &&
    everyRule.some(
      (other) =>
        other.kind === 'sum' &&
        other.side !== rule.side &&
        other.row.table === rule.row.table &&
        other.column === rule.column,
    );
  const one = 'more than that some state of the trial permits it';
  return [
    ...named(bound, rules, one, ({ kind }) => kind === 'bounds'),
    ...named(bound, rules, 'more than that a value which permits it was there in time', (rule) =>
      onlyFinds(bound, rule),
    ),
    ...named(bound, rules, 'its lower and its upper limit in one order (each by itself)', hasOpposite),
    ...named(bound, rules, 'when its operations happened (any order counts)', ({ kind }) => kind === 'sum'),
    ...(bound.rules.some(({ rule }) => comparesSum(rule))
      ? ['that one order permits all that was declined (each by itself)']
      : []),
    ...(compared.length > 0 && isOfMany ? ['that the orders of several rows or columns fit together'] : []),
  ];
}

/** The reasons of some rules, with what is said of them; none where no rule is of these. */
function named(
  { operation }: BoundOperation,
  rules: readonly AppliedRule[],
  what: string,
  isMeant: (rule: AppliedRule) => boolean,
): string[] {
  const reasons = new Set(rules.filter(isMeant).map(({ reason }) => operation.reasons[reason]));
  return reasons.size === 0 ? [] : [`${[...reasons].join(', ')}: ${what}`];
}

/** Whether the operation compares a value that it does not set. */
function onlyFinds({ effects }: BoundOperation, rule: AppliedRule): boolean {
  if (rule.kind !== 'value') return false;
  return !effects.some((effect) => effect.kind === 'set' && effect.row.table === rule.row.table);
}

function repliesOf({ returns }: BoundOperation, follows: Follows, { readsOfEvery }: Logged): string[] {
  if (returns.kind === 'chosen-rows') return ['rows that the server chooses: whole'];
  if (returns.kind !== 'row' && returns.kind !== 'scan') return [];
  const order = returns.kind === 'scan' ? 'order, range and limit; ' : '';
  if (!follows.operations.some(({ operation: { weight, writes } }) => weight > 0 && writes)) {
    return [
      `reads: ${order}the right keys, of seeded rows alone; all numbers as seeded, and of each row’s texts and bytes one, in turn`,
    ];
  }
  const assertions = [
    `reads: ${order}the right keys, columns that nobody writes as seeded, one text or bytes of each row untorn, in turn`,
  ];
  const logged =
    readsOfEvery === 1 ? 'every row' : readsOfEvery === 0 ? 'no row' : `every ${readsOfEvery}th row`;
  const {
    sets = [],
    adds = [],
    named: naming = -1,
    inserted = false,
  } = follows.tables[returns.table.number] ?? {};
  if (sets.length > 0) assertions.push(`values that were set: linearizable per value, reads of ${logged}`);
  if (adds.length > 0)
    assertions.push(`sums: within what the trial can have made of them, reads of ${logged}`);
  if (naming !== -1 && inserted)
    assertions.push(`inserted rows: the content that their insert wrote, reads of ${logged}`);
  if (returns.kind === 'scan' && inserted && returns.complete)
    assertions.push('scans leave out no row whose insert was acknowledged before');
  if (returns.kind === 'scan' && returns.until !== null)
    assertions.push(
      'rows as known at a time: none that was recorded later, by what the replies of their inserts said; no time of the server is before one that was known when its operation was sent',
    );
  if (returns.kind === 'row' && returns.by !== null)
    assertions.push('ids of the server: each belongs to one row, which is the one that is returned');
  return assertions;
}

function notOfReplies({ returns }: BoundOperation, follows: Follows): string[] {
  if (returns.kind === 'chosen-rows') return ['completeness of the rows that the server chooses'];
  if (returns.kind !== 'row' && returns.kind !== 'scan') return [];
  const { sets = [], adds = [], inserted = false } = follows.tables[returns.table.number] ?? {};
  const isOfMany = returns.kind === 'scan' ? sets.length + adds.length > 0 : sets.length + adds.length > 1;
  return [
    ...(isOfMany ? ['that all values of a reply are of one moment'] : []),
    ...(returns.kind === 'scan' && inserted && !returns.complete ? ['completeness of scans'] : []),
  ];
}
