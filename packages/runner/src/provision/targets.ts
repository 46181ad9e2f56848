import { type Route, type Deployment, type Facts, type Supervisor, messageOf } from '@fair-bench/contract';
import type { PlannedTarget, RunPlan } from '@fair-bench/results';
import { targetOptions } from '../plan/target-options.ts';
import { SharedServices } from './shared-services.ts';

const checkTimeoutMs = 5_000;
const factsTimeoutMs = 15_000;
const closeTimeoutMs = 10_000;

export interface TargetsContext {
  readonly connectors: ReadonlyMap<string, Route>;
  /** The user's endpoints by target, passwords included; the plan has them without. */
  readonly urls: Readonly<Record<string, string>>;
  readonly supervisor: Supervisor;
  readonly signal: AbortSignal;
}

/** What the provision stage found out about a target. */
export type TargetState =
  | { readonly status: 'ready'; readonly facts: Facts; readonly storageDirectory: string | null }
  | { readonly status: 'unavailable'; readonly reason: string; readonly remedy: string }
  | { readonly status: 'interrupted' };

/** The targets of a run: starts each when it is first needed, and anew when it has died. */
export class Targets {
  readonly #plan: RunPlan;
  readonly #context: TargetsContext;
  readonly #services = new SharedServices();
  readonly #deployments = new Map<string, Deployment>();

  constructor(plan: RunPlan, context: TargetsContext) {
    this.#plan = plan;
    this.#context = context;
  }

  /** Probes and starts one target and reads its facts. Never rejects: what fails is a state. */
  async provision(target: PlannedTarget): Promise<TargetState> {
    try {
      const availability = await this.#connector(target).probe(
        targetOptions(this.#plan, target, this.#context.urls),
      );
      if (!availability.available) {
        return { status: 'unavailable', reason: availability.reason, remedy: availability.remedy };
      }
      const deployment = await this.ensure(target.target);
      const facts = await deployment.facts(this.#bounded(factsTimeoutMs));
      return { status: 'ready', facts, storageDirectory: facts.storage.directory };
    } catch (error) {
      if (this.#context.signal.aborted) return { status: 'interrupted' };
      return { status: 'unavailable', reason: messageOf(error), remedy: 'see its log in the run folder' };
    }
  }

  /** A deployment that answers: the one there is, or a new one where it does not answer any more. */
  async ensure(name: string): Promise<Deployment> {
    const present = this.#deployments.get(name);
    if (present !== undefined) {
      if (await answers(present, this.#bounded(checkTimeoutMs))) return present;
      await this.close(name).catch(() => {
        // What is already dead cannot be closed in good order; the supervisor ends its processes.
      });
    }
    const target = this.#planned(name);
    const deployment = await this.#connector(target).provision({
      target: name,
      options: targetOptions(this.#plan, target, this.#context.urls),
      supervisor: this.#context.supervisor,
      signal: this.#context.signal,
      shared: async (key, start) => await this.#services.acquire(name, key, start),
    });
    this.#deployments.set(name, deployment);
    return deployment;
  }

  async close(name: string): Promise<void> {
    const deployment = this.#deployments.get(name);
    this.#deployments.delete(name);
    try {
      if (deployment !== undefined) await withTimeout(deployment.close(), closeTimeoutMs, `${name}: close`);
    } finally {
      await withTimeout(this.#services.release(name), closeTimeoutMs, `${name}: release`);
    }
  }

  /** Closes every target; goes on after a failure, and gives the failures in words. */
  async closeAll(): Promise<readonly string[]> {
    const failures: string[] = [];
    for (const name of this.#deployments.keys()) {
      await this.close(name).catch((error: unknown) => void failures.push(messageOf(error)));
    }
    return failures;
  }

  #planned(name: string): PlannedTarget {
    const target = this.#plan.targets.find((candidate) => candidate.target === name);
    if (target === undefined) throw new Error(`${name}: not a target of this plan`);
    return target;
  }

  #connector(target: PlannedTarget): Route {
    const connector = this.#context.connectors.get(target.connector);
    if (connector === undefined)
      throw new Error(`${target.target}: connector ${target.connector} was not loaded`);
    return connector;
  }

  #bounded(timeoutMs: number): AbortSignal {
    return AbortSignal.any([this.#context.signal, AbortSignal.timeout(timeoutMs)]);
  }
}

async function answers(deployment: Deployment, signal: AbortSignal): Promise<boolean> {
  return await deployment.check(signal).then(
    () => true,
    () => false,
  );
}

async function withTimeout(work: Promise<void>, timeoutMs: number, what: string): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} did not end in ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
