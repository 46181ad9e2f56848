import {
  type Cell,
  describeLoops,
  isSetIn,
  type LoadSetting,
  type RunPlan,
  settingsOfLoad,
  valueOfSetting,
} from '@fair-bench/results';
import {
  type Assessment,
  assess,
  assessEqual,
  assessShown,
  inWords,
  overReadings,
  basesOf,
  type Values,
  valuesBy,
} from './assessment.ts';
import type { TargetEvidence } from './evidence.ts';
import { rules } from './rules.ts';

/** Of a system without a choice, or a route whose ORM decides it for each statement. */
const noProtocol = 'none stated';

/** The seed, and the parameters with several values: they decide which operations are drawn, and how. */
function streamParametersOf(evidence: readonly TargetEvidence[]): ReadonlySet<string> {
  const swept = evidence.flatMap(({ cells }) => {
    const names = new Set(cells.flatMap(({ parameters }) => Object.keys(parameters)));
    return [...names].filter(
      (name) => new Set(cells.map(({ parameters }) => textOf(parameters[name]))).size > 1,
    );
  });
  return new Set(['seed', ...swept]);
}

/**
 * What must be the same for every target. In optimized mode each target has its own client, sessions, depth and rate,
 * which are shown, and durability is judged in each table.
 */
export function assessEqualRules(
  evidence: readonly TargetEvidence[],
  { mode, loop }: Pick<RunPlan, 'mode' | 'loop'>,
): readonly Assessment[] {
  const isOptimized = mode === 'optimized';
  const stream = streamParametersOf(evidence);
  const equal = (
    rule: Assessment['row']['rule'],
    subject: string,
    ofCells: (cells: readonly Cell[]) => string,
  ) =>
    assessEqual(
      rule,
      subject,
      valuesBy(evidence, ({ cells }) => ofCells(cells)),
    );
  const shown: typeof equal = (rule, subject, ofCells) =>
    assessShown(
      rule,
      `${subject} at the best point`,
      valuesBy(evidence, ({ cells }) => ofCells(cells)),
    );
  const load = isOptimized ? shown : equal;
  return [
    isOptimized ? assessDurabilityByTable(evidence) : assessDurability(evidence),
    assessLoadClient(evidence, isOptimized),
    assessClientCodec(evidence, isOptimized),
    assessStatementProtocol(evidence, isOptimized),
    ...settingsOfLoad().flatMap((setting) => {
      const { parity } = setting.of;
      const isSet = evidence.some(({ cells }) => cells.some((cell) => isSetIn(setting, cell)));
      if (parity === null || (parity.isWhereSet === true && !isSet)) return [];
      const judge = parity.isSearched === true ? load : equal;
      return [judge(parity.rule, parity.subject, (cells) => valuesIn(setting, cells))];
    }),
    equal(rules.dataset, 'dataset', (cells) => texts(cells.map((cell) => dataset(cell, stream)))),
    assessOperationStream(evidence, stream),
    // A bound of latency gives each system the rate at which it keeps that bound.
    load(rules.loop, 'loop', (cells) => describeLoops({ loop }, cells)),
  ];
}

/** Equality is not enough: where nobody commits durably, all are equal and nobody is fair. */
function assessDurability(evidence: readonly TargetEvidence[]): Assessment {
  const subject = 'durability before acknowledgement';
  const values = valuesBy(evidence, (one) => overReadings(one, ({ durability }) => durability));
  const others = Object.entries(values).filter(([, value]) => value !== 'durable');
  const reasons = [
    ...(others.length === 0 ? [] : [inWords(Object.fromEntries(others))]),
    ...refutedIn(evidence),
  ];
  const broken =
    reasons.length === 0
      ? null
      : `every commit must be durable before it is acknowledged: ${reasons.join('; ')}`;
  const bases = basesOf(evidence, () => true);
  return assess(
    { rule: rules.durability, subject, kind: 'equal', ...bases },
    ofBatches(values, evidence),
    broken,
  );
}

/** With the operations of a commit, where that is more than one. */
function ofBatches(values: Values, evidence: readonly TargetEvidence[]): Values {
  return Object.fromEntries(
    evidence.map(({ target, cells }) => {
      const batches = new Set(cells.map(({ batch }) => batch));
      const several = batches.size > 1 || !batches.has(1);
      const by = several ? `, per batch of ${numbers([...batches])}` : '';
      return [target, `${values[target] ?? ''}${by}`];
    }),
  );
}

/**
 * The request decides the table, and must be in force throughout: not weaker, and not silently stronger. A calibration
 * target has no commits, so no table says anything of it.
 */
function assessDurabilityByTable(evidence: readonly TargetEvidence[]): Assessment {
  const subject = 'durability before acknowledgement, as the table of each says';
  const values = valuesBy(evidence, (one) => overReadings(one, ({ durability }) => durability));
  const others = evidence
    .filter(({ target, planned }) => !planned.calibration && values[target] !== planned.durability)
    .map(
      ({ target, planned }) =>
        `${target} is in the table of ${planned.durability} commits and has ${values[target]}`,
    );
  const reasons = [...others, ...refutedIn(evidence)];
  const broken = reasons.length === 0 ? null : `commits must be as their table says: ${reasons.join('; ')}`;
  const bases = basesOf(evidence, () => true);
  return assess({ rule: rules.durability, subject, kind: 'equal', ...bases }, values, broken);
}

/** Targets that report durable commits although a kill test lost some. */
function refutedIn(evidence: readonly TargetEvidence[]): readonly string[] {
  return evidence.flatMap(({ target, basis }) =>
    basis.status === 'refuted' ? [`${target}: ${basis.because}`] : [],
  );
}

/** As planned, and as the load clients reported; a target without a result has only a plan. */
function assessLoadClient(evidence: readonly TargetEvidence[], isOptimized: boolean): Assessment {
  const rule = { rule: rules.loadClient, subject: 'load client', kind: 'equal' } as const;
  const described = evidence.map(({ target, cells, trials }) => ({
    target,
    planned: texts(
      cells.map(({ client, threads }) => `${client}, ${threads} thread${threads === 1 ? '' : 's'}`),
    ),
    ran: texts(
      trials.map(({ result: { client } }) => `${client.name} ${client.version} on ${client.runtime}`),
    ),
  }));
  const values = Object.fromEntries(
    described.map(({ target, planned, ran }) => [target, ran === '' ? planned : `${planned}: ${ran}`]),
  );
  if (isOptimized) return assessShown(rule.rule, rule.subject, values);
  const plans = new Set(described.map(({ planned }) => planned));
  const clients = new Set(described.flatMap(({ ran }) => (ran === '' ? [] : [ran])));
  const isEqual = plans.size <= 1 && clients.size <= 1;
  return assess(
    rule,
    values,
    isEqual ? null : `the load client must be the same for all: ${inWords(values)}`,
  );
}

/** A codec of ours is faster than the library that applications use: a fair number does not use it. */
function assessClientCodec(evidence: readonly TargetEvidence[], isOptimized: boolean): Assessment {
  const rule = { rule: rules.loadClient, subject: 'client library of the database', kind: 'equal' } as const;
  const values = valuesBy(evidence, (one) => overReadings(one, ({ clientCodec }) => clientCodec ?? 'none'));
  if (isOptimized) return assessShown(rule.rule, rule.subject, values);
  const others = Object.entries(values).filter(([, value]) => value !== 'stock' && value !== 'none');
  const broken =
    others.length === 0
      ? null
      : `each system must be called by its own client library: ${inWords(Object.fromEntries(others))}`;
  return assess(rule, values, broken);
}

/** Of the targets that have one. */
function assessStatementProtocol(evidence: readonly TargetEvidence[], isOptimized: boolean): Assessment {
  const [rule, subject] = [rules.statementProtocol, 'statement protocol'];
  const values = valuesBy(evidence, (one) =>
    overReadings(one, ({ statementProtocol }) => statementProtocol ?? noProtocol),
  );
  if (isOptimized) return assessShown(rule, subject, values);
  const stated = new Set(Object.values(values).filter((value) => value !== noProtocol));
  const broken = stated.size <= 1 ? null : `${subject} must be the same for all: ${inWords(values)}`;
  return assess({ rule, subject, kind: 'equal' }, values, broken);
}

function dataset({ workload, parameters }: Cell, stream: ReadonlySet<string>): string {
  const described = Object.entries(parameters)
    .filter(([name]) => !stream.has(name))
    .map(([name, value]) => `${name} ${textOf(value)}`);
  return [workload, ...described.toSorted()].join(', ');
}

/** As planned, and in every round the seed that all trials of it say they drew by. */
function assessOperationStream(evidence: readonly TargetEvidence[], stream: ReadonlySet<string>): Assessment {
  const rule = { rule: rules.operationStream, subject: 'operation stream', kind: 'equal' } as const;
  const planned = valuesBy(evidence, ({ cells }) => operationStream(cells, stream));
  const drawn = valuesBy(evidence, ({ trials }) => {
    const seeds = new Map(trials.map(({ round, streamSeed }) => [round, streamSeed]));
    return new Set(seeds.values()).size > 1 ? '; drawn from it, another seed in each round' : '';
  });
  const seeds = Map.groupBy(
    evidence.flatMap(({ trials }) => trials),
    ({ round }) => round,
  );
  const differing = [...seeds].find(
    ([, trials]) => new Set(trials.map(({ streamSeed }) => streamSeed)).size > 1,
  );
  const isEqual = new Set(Object.values(planned)).size <= 1 && differing === undefined;
  const values = Object.fromEntries(
    Object.entries(planned).map(([target, value]) => [target, `${value}${drawn[target] ?? ''}`]),
  );
  const round = differing === undefined ? '' : ` in round ${differing[0] + 1}`;
  return assess(
    rule,
    values,
    isEqual ? null : `the operation stream must be the same for all${round}: ${inWords(values)}`,
  );
}

function operationStream(cells: readonly Cell[], stream: ReadonlySet<string>): string {
  return [...stream]
    .map((name) => ({ name, values: cells.flatMap(({ parameters }) => parameters[name] ?? []) }))
    .filter(({ values }) => values.length > 0)
    .map(({ name, values }) => `${name} ${[...new Set(values.map(textOf))].toSorted(bySize).join(', ')}`)
    .join('; ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What the cells of a target have of a setting. */
function valuesIn(setting: LoadSetting, cells: readonly Cell[]): string {
  const values = cells.map((cell) => valueOfSetting(setting, cell) ?? setting.defaultValue ?? '');
  return [...new Set(values)].toSorted((a, b) => bySize(String(a), String(b))).join(', ');
}

function numbers(values: readonly number[]): string {
  return [...new Set(values)].toSorted((a, b) => a - b).join(', ');
}

function texts(values: readonly string[]): string {
  return [...new Set(values)].toSorted().join('; ');
}

function bySize(a: string, b: string): number {
  return Number(a) - Number(b);
}
