import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TrialPlan } from '@fair-bench/results';

/** The plan of one of `count` agents. Its Node client's module is named from the repository's root, as agents know it. */
export function partOf(plan: TrialPlan, place: number, count: number, root: string): TrialPlan {
  if (plan.sessions < count)
    throw new Error(`load agents: ${plan.sessions} sessions are fewer than ${count} agents`);
  const firstOf = (number: number): number => Math.floor((plan.sessions * number) / count);
  const sessionFirst = firstOf(place);
  const sessionCount = firstOf(place + 1) - sessionFirst;
  const client: TrialPlan['client'] =
    plan.client.kind === 'native'
      ? plan.client
      : { kind: 'node', module: relative(root, fileURLToPath(plan.client.module)) };
  return {
    ...plan,
    client,
    share: { sessionFirst, sessionCount },
    threads: Math.min(plan.threads, sessionCount),
    canaries: canariesOf(plan, place, count),
  };
}

/** Each agent has every `count`-th canary, spread over the window: what lies between it and the target may lie as well. */
function canariesOf({ canaries, timing }: TrialPlan, place: number, count: number): TrialPlan['canaries'] {
  const operations = canaries?.operations.filter((_, number) => number % count === place) ?? [];
  if (operations.length === 0) return null;
  return { everyMs: Math.max(1, Math.floor(timing.windowMs / operations.length)), operations };
}
