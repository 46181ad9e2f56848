import { defaultTargetSettings, describeStorage, type Facts, losesInPowerCut } from '@fair-bench/contract';
import { anomalyInWords, describeContention, describeIsolation, forbiddenSeen } from '@fair-bench/results';
import {
  type Assessment,
  assess,
  assessShown,
  inWords,
  overReadings,
  type Values,
  valuesBy,
} from './assessment.ts';
import { flushShareMin } from '../audit/checks/durable-flushes.ts';
import { appliedWrites } from '../audit/evidence.ts';
import { isReadOnly, type MeasuredTrial, nothingWritten, type TargetEvidence } from './evidence.ts';
import { rules } from './rules.ts';

/** What differs by nature and must be shown. */
export function assessShownRules(evidence: readonly TargetEvidence[]): readonly Assessment[] {
  const shown = (value: (facts: Facts) => string): Values =>
    valuesBy(evidence, (one) => overReadings(one, value));
  return [
    assessStorage(evidence),
    assessFlushBound(evidence),
    assessShown(rules.depth, 'operations outstanding, counted by', valuesBy(evidence, countedBy)),
    assessIsolation(evidence),
    assessShown(
      rules.profile,
      'tuning profile',
      valuesBy(evidence, (one) =>
        overReadings(one, ({ provider }) =>
          // Nobody here knows how a server that was named by its URL ships.
          provider === 'url' && one.planned.profile === defaultTargetSettings.profile
            ? 'as its server has it'
            : one.planned.profile,
        ),
      ),
    ),
    assessShown(rules.processes, 'processes of the application server', shown(processes)),
    assessShown(rules.cores, 'processors of load client and servers', valuesBy(evidence, cores)),
    assessShown(rules.pool, 'database connections', shown(pool)),
    assessShown(
      rules.wireProtocol,
      'wire protocol',
      shown(({ wireProtocol }) => wireProtocol),
    ),
    assessShown(
      rules.version,
      'version',
      shown(({ system }) => `${system.name} ${system.version}`),
    ),
    assessShown(
      rules.provider,
      'provider',
      shown(({ provider }) => provider),
    ),
  ];
}

/** The file systems are shown; on one that a power cut empties, no commit is durable. */
function assessStorage(evidence: readonly TargetEvidence[]): Assessment {
  const values = valuesBy(evidence, (one) => overReadings(one, ({ storage }) => describeStorage(storage)));
  const claiming = evidence.filter(({ readings }) =>
    readings.some(({ facts }) => facts.durability === 'durable' && losesInPowerCut(facts.storage)),
  );
  const claims = Object.fromEntries(claiming.map(({ target }) => [target, values[target] ?? '']));
  const broken =
    claiming.length === 0
      ? null
      : `durable commits are claimed on a file system in memory: ${inWords(claims)}`;
  return assess({ rule: rules.storage, subject: 'storage of data and log', kind: 'shown' }, values, broken);
}

/** Below this rate the demanded flushes prove little: a server that flushes by a timer has as many. */
const timerFlushesPerSecond = 100;

/** How many flushes the durable commits of each trial must have cost, and whether that many prove anything. */
function assessFlushBound(evidence: readonly TargetEvidence[]): Assessment {
  const values = valuesBy(evidence, (one) => {
    if (isReadOnly(one)) return nothingWritten;
    const demanded = one.trials.flatMap((trial) => flushesDemanded(trial, one.cells) ?? []);
    if (demanded.length === 0) return 'none: no durable commits';
    const [least, most] = [Math.min(...demanded), Math.max(...demanded)];
    const weak = demanded.filter((each) => each < timerFlushesPerSecond).length;
    const strength =
      weak === 0
        ? ''
        : `; too weak to say anything in ${weak} of ${demanded.length} trials: a server that flushes by a timer passes too`;
    return `at least ${Math.floor(least)} to ${Math.floor(most)} a second${strength}`;
  });
  return assessShown(rules.flushes, 'flushes that durable commits demand', values);
}

function flushesDemanded(
  { cellId, result, factsBefore }: MeasuredTrial,
  cells: TargetEvidence['cells'],
): number | null {
  const cell = cells.find(({ id }) => id === cellId);
  if (cell === undefined || factsBefore.durability !== 'durable') return null;
  const writersMax = Math.min(factsBefore.writersMax, cell.sessions * cell.depth);
  const commitsPerSecond = (appliedWrites(result, 'window') / cell.batch / result.timing.windowMs) * 1000;
  return (commitsPerSecond / writersMax) * flushShareMin;
}

/** Who counted the outstanding operations. */
function countedBy({ trials }: TargetEvidence): string {
  const peaks = trials.flatMap(({ inFlight }) => (inFlight === null ? [] : [inFlight.peak]));
  return peaks.length === 0
    ? 'only the load client; not observed at the other end'
    : `the load client, and the server: at most ${Math.max(...peaks)}`;
}

/** The level in force is shown, with what was observed of it; what it forbids must not have been. */
function assessIsolation(evidence: readonly TargetEvidence[]): Assessment {
  const subject = 'isolation in force (audits pass where an order of each row’s operations permits all)';
  const seen = evidence.flatMap(({ target, isolation: observed }) => {
    const forbidden = observed === null ? [] : forbiddenSeen(observed);
    return forbidden.length === 0 ? [] : [`${target} showed ${forbidden.map(anomalyInWords).join(', ')}`];
  });
  const broken =
    seen.length === 0 ? null : `the level in force forbids what was observed: ${seen.join('; ')}`;
  return assess({ rule: rules.isolation, subject, kind: 'shown' }, valuesBy(evidence, isolation), broken);
}

function isolation(one: TargetEvidence): string {
  const passed = one.trials.filter(({ audit }) => audit.status === 'passed').length;
  const audits = `${passed} audit${passed === 1 ? '' : 's'} passed`;
  const contended = one.contention === null ? '' : `; ${describeContention(one.contention)}`;
  const level = overReadings(one, (facts) =>
    describeIsolation(facts.isolation, one.isolation?.level === facts.isolation ? one.isolation : null),
  );
  return `${level}; ${audits}${contended}`;
}

function processes({ appServer }: Facts): string {
  return appServer === null ? 'no application server' : `${appServer.processes} (${appServer.runtime})`;
}

/** As the kernel listed them during the trials. */
function cores({ trials }: TargetEvidence): string {
  const lists = trials.map((trial) => {
    if (trial.cores === undefined) return 'not observed';
    const { client, servers } = trial.cores;
    return `client ${client}, ${servers.length === 0 ? 'servers not observed' : `servers ${servers.join(' | ')}`}`;
  });
  return [...new Set(lists)].join(' → ');
}

function pool({ appServer, pooler, writersMax }: Facts): string {
  return [
    ...(appServer === null ? [] : [`${appServer.processes} × ${appServer.poolSizePerProcess}`]),
    ...(pooler === undefined ? [] : [`${pooler.answers} ${pooler.version} with ${pooler.poolSize}`]),
    `one flush covers at most ${writersMax} commit${writersMax === 1 ? '' : 's'}`,
  ].join(', ');
}
