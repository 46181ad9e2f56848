import type { IsolationFinding } from '@fair-bench/contract';
import type { Mismatches } from '../growing.ts';
import { Cycles } from './cycles.ts';
import { Edges } from './graph.ts';
import type { History } from './history.ts';
import { againstTime } from './real-time.ts';
import { Versions } from './versions.ts';

/** What versions say: anomalies, which a level of isolation may permit, and what none permits. */
export interface Observed extends Pick<IsolationFinding, 'anomalies' | 'examples'> {
  readonly mismatches: readonly Mismatches[];
  /** The dependencies between operations. */
  readonly edges: Edges;
}

const examplesOfEach = 2;

/** Names what went wrong between the operations of a history. `also`: dependencies that its versions do not show. */
export function observe(history: History, also = new Edges()): Observed {
  const versions = new Versions(history);
  for (let edge = 0; edge < also.length; edge += 1)
    versions.edges.add(also.from.at(edge), also.to.at(edge), also.kind.at(edge));
  const { nodes, sentUs, settledUs, names } = history;
  const given = {
    nodes,
    sentUs,
    settledUs,
    edges: versions.edges,
    describe: (node: number) => names.node(node),
  };
  const cycles = new Cycles(given);
  const byName = {
    G0: cycles.writes,
    G1a: versions.aborted,
    G1b: versions.intermediate,
    G1c: cycles.flow,
    'lost-update': versions.lost,
    'G-single': cycles.single,
    'G2-item': cycles.item,
    'stale-read': versions.stale,
    'real-time': againstTime(given, cycles.components),
  };
  return {
    anomalies: {
      G0: byName.G0.count,
      G1a: byName.G1a.count,
      G1b: byName.G1b.count,
      G1c: byName.G1c.count,
      'lost-update': byName['lost-update'].count,
      'G-single': byName['G-single'].count,
      'G2-item': byName['G2-item'].count,
      'stale-read': byName['stale-read'].count,
      'real-time': byName['real-time'].count,
    },
    examples: Object.values(byName).flatMap(({ what, examples }) =>
      examples.slice(0, examplesOfEach).map((example) => `${what}: ${example}`),
    ),
    mismatches: [versions.invented, versions.missing],
    edges: versions.edges,
  };
}
