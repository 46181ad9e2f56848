import { nothingAt } from '../../nothing-at.ts';
import { Mismatches } from '../growing.ts';
import { type Dependencies, shortestPath } from './cycles.ts';
import { type Components, componentsOf, dependencies, Edges, Graph, nameOfKind, rw, time } from './graph.ts';

const never = 0xffff_ffff;

/**
 * Dependencies that are on a cycle only together with the order of real time: the operations can be put into an order,
 * but not into one in which an operation that was sent after another was acknowledged comes after it. Serializable, not strictly.
 */
export function againstTime(
  given: Dependencies & { readonly settledUs: Uint32Array },
  { of: plain }: Components,
): Mismatches {
  const found = new Mismatches('real-time');
  const { nodes, edges, describe } = given;
  const { graph, components } = withTime(given);
  for (let edge = 0; edge < edges.length; edge += 1) {
    const [from, to] = [edges.from.at(edge), edges.to.at(edge)];
    if (components.of[from] !== components.of[to] || plain[from] === plain[to]) continue;
    // A moment is no operation.
    const name = (node: number): string => (node < nodes ? describe(node) : 'later');
    found.add(
      () => `${describe(from)} ${nameOfKind(edges.kind.at(edge))} → ${shortestPath(graph, to, from, name)}`,
    );
  }
  return found;
}

/**
 * The graph with a moment for each end of an operation, in their order: an operation leads to the moment of its end, a
 * moment to the next, and the last moment before an operation was sent to that operation. So many edges stand for all pairs.
 */
function withTime({ nodes, edges, sentUs, settledUs }: Parameters<typeof againstTime>[0]): {
  graph: Graph;
  components: Components;
} {
  const ends = new Uint32Array(nodes).map((_, node) => node).filter((node) => settledUs[node] !== never);
  ends.sort((a, b) => (settledUs[a] ?? nothingAt(a)) - (settledUs[b] ?? nothingAt(b)));
  const timed = new Edges();
  for (let edge = 0; edge < edges.length; edge += 1) {
    timed.add(edges.from.at(edge), edges.to.at(edge), edges.kind.at(edge));
  }
  for (const [place, node] of ends.entries()) {
    timed.add(node, nodes + place, time);
    if (place + 1 < ends.length) timed.add(nodes + place, nodes + place + 1, time);
  }
  for (let node = 0; node < nodes; node += 1) {
    const before = endsBefore(ends, settledUs, sentUs[node] ?? nothingAt(node));
    if (before > 0) timed.add(nodes + before - 1, node, time);
  }
  const graph = new Graph(nodes + ends.length, timed, dependencies | rw | time);
  return { graph, components: componentsOf(graph) };
}

/** How many operations had ended before a moment. */
function endsBefore(ends: Uint32Array, settledUs: Uint32Array, us: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((settledUs[ends[middle] ?? nothingAt(middle)] ?? nothingAt('its index')) < us) low = middle + 1;
    else high = middle;
  }
  return low;
}
