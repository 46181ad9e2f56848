import type { Figure, LoadMachine, RunSummary } from '@fair-bench/results';
import { describeNoiseFloor } from '@fair-bench/analysis';
import { absent, formatNumber } from './format.ts';
import { left, right, type Section, tableOf } from './section.ts';

/** Machine, software, and the command that repeats the run. */
export function environmentSection({ run, noiseFloor }: RunSummary): Section {
  const { cpu, memoryBytes, os, runtime, fileSystem, fsyncPerSecond, git, lockfileSha256, pinning } =
    run.environment;
  const { loadAgents = [] } = run.environment;
  const fsync = fsyncPerSecond === null ? 'not measured' : `${formatNumber(fsyncPerSecond)} per second`;
  return {
    title: 'Environment',
    lines: [
      `Run: ${run.id}, ${run.startedAt} to ${run.endedAt}${run.interrupted ? ', INTERRUPTED' : ''}`,
      `Machine: ${cpu.model}, ${cpu.cores} cores, ${formatNumber(memoryBytes / 2 ** 20)} MiB`,
      ...(loadAgents.length === 0
        ? []
        : [`Load: from ${loadAgents.length} load agents: ${loadAgents.map(describeMachine).join('; ')}`]),
      `Processors: ${pinning}`,
      `System: ${os.platform} ${os.kernel} ${os.architecture}; ${runtime}`,
      `Storage: ${fileSystem.type} at ${fileSystem.directory}; synced writes of one writer: ${fsync}`,
      ...(run.idleServersShareMax === undefined
        ? []
        : [
            `Idle servers of other targets: at most ${formatNumber(run.idleServersShareMax * 100)} % of the processors in any trial`,
          ]),
      noiseFloor === undefined
        ? 'Noise floor of this machine: not measured; npm run bench:aa measures it'
        : describeNoiseFloor(noiseFloor),
      `Source: ${git === null ? 'no git checkout' : `commit ${git.commit}${git.dirty ? ', with changes' : ''}`}; lockfile ${lockfileSha256 ?? 'none'}`,
    ],
    table: null,
  };
}

function describeMachine({ name, host, cores, memoryBytes, runtime }: LoadMachine): string {
  return `${name} (${host}, ${cores} cores, ${formatNumber(memoryBytes / 2 ** 20)} MiB, ${runtime})`;
}

/** The figures of the harness's own bench, where there are any. */
export function figuresSection({ figures }: RunSummary): readonly Section[] {
  if (figures === undefined || figures.length === 0) return [];
  const columns = [
    left<Figure>('figure', ({ name }) => name),
    right<Figure>('value', ({ value, unit }) => (value === null ? absent : `${formatNumber(value)} ${unit}`)),
    left<Figure>('goal', ({ goal }) => goal),
    left<Figure>('met', ({ met }) => (met ? 'yes' : 'NO')),
    left<Figure>('note', ({ note }) => note),
  ];
  return [{ title: 'Figures', lines: [], table: tableOf(columns, figures) }];
}
