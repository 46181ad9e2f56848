import { type Availability, noPooler, type TargetOptions } from '@fair-bench/contract';

/** The control plane's connections: those that are kept, an observer and its reader, and one that is opened to look. */
export const ownConnections = 8;

/** How many more connections a user of a server may open, and by which of its limits. */
export interface ConnectionLimit {
  readonly more: number;
  readonly because: string;
}

/** What decides how many connections a route has at once: a connection for each session, or an application server's pool. */
export type ConnectionsOf = 'sessions' | 'poolSize';

/** The limit that leaves fewest. */
export function narrowest(all: readonly [ConnectionLimit, ...ConnectionLimit[]]): ConnectionLimit {
  return all.reduce((least, one) => (one.more < least.more ? one : least));
}

/** Why the connections of a target do not fit into a limit, with the option and the number that do; null where they fit. */
export function beyondLimit(
  { more, because }: ConnectionLimit,
  options: TargetOptions,
  holds: ConnectionsOf,
): Availability | null {
  const isPooled = options.pooler !== noPooler;
  const held = isPooled ? options.poolerPool : holds === 'sessions' ? options.sessionsMax : options.poolSize;
  const needed = held + ownConnections;
  if (needed <= more) return null;
  const most = more - ownConnections;
  const reason = `it needs ${needed} connections at once, ${ownConnections} of them of the runner, and the server gives this user ${Math.max(0, more)} (${because})`;
  if (isPooled || most < 1)
    return { available: false, reason, remedy: 'raise that limit, or close other connections' };
  const name = holds === 'sessions' ? '--sessions' : '--pool-size';
  return { available: false, reason, remedy: `at most ${name} ${most} fits`, fits: { option: holds, most } };
}
