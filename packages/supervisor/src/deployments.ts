import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  type Deployment,
  messageOf,
  type ProcessRef,
  type Route,
  type Supervisor,
  type TargetOptions,
} from '@fair-bench/contract';
import { SharedServices } from './shared-services.ts';

const checkTimeoutMs = 5_000;
const closeTimeoutMs = 10_000;

/** What targets are started under. */
interface DeploymentsContext {
  readonly supervisor: Supervisor;
  /** Ends what is being started. */
  readonly signal: AbortSignal;
}

/**
 * Targets that run side by side and share services. Every target is started here: by a run, by the tools and by the
 * tests (`startLoneTarget`).
 */
export class Deployments {
  readonly #context: DeploymentsContext;
  readonly #services = new SharedServices();
  readonly #deployments = new Map<string, Deployment>();
  readonly #starts = new Map<string, number>();
  /** Targets whose connections may be open. */
  readonly #awake = new Set<string>();

  constructor(context: DeploymentsContext) {
    this.#context = context;
  }

  /**
   * The target's deployment: the present one if it answers, otherwise a new one; the others rest meanwhile. Rejects as the
   * route does.
   */
  async ensure(target: string, route: Route, options: TargetOptions): Promise<Deployment> {
    const { supervisor, signal } = this.#context;
    await this.#restOthers(target);
    this.#awake.add(target);
    const present = this.#deployments.get(target);
    if (present !== undefined) {
      if (await this.answers(target)) return present;
      await this.close(target).catch(() => {
        // A dead deployment cannot be closed cleanly; the supervisor ends its processes.
      });
    }
    const deployment = withSetup(
      await route.provision({
        target,
        options,
        supervisor,
        signal,
        shared: async (key, start) => await this.#services.acquire(target, key, start),
      }),
      options.setup,
    );
    this.#deployments.set(target, deployment);
    this.#starts.set(target, this.starts(target) + 1);
    return deployment;
  }

  /** Keeps the services of the target after its end, for targets that are started later, until `closeAll`. */
  keepServices(target: string): void {
    this.#services.keep(target);
  }

  /** How often the target has been started. */
  starts(target: string): number {
    return this.#starts.get(target) ?? 0;
  }

  /** Whether the target is there and answers. */
  async answers(target: string): Promise<boolean> {
    const within = AbortSignal.any([this.#context.signal, AbortSignal.timeout(checkTimeoutMs)]);
    const check = this.#deployments.get(target)?.check(within);
    if (check === undefined) return false;
    return await check.then(
      () => true,
      () => false,
    );
  }

  /** The processes of the other running targets, without those that this one uses too. */
  processesBeside(target: string): readonly ProcessRef[] {
    const own = new Set(this.#deployments.get(target)?.processes.map(({ pid }) => pid));
    const others = [...this.#deployments].filter(([name]) => name !== target);
    return others.flatMap(([, { processes }]) => processes.filter(({ pid }) => !own.has(pid)));
  }

  /** Closes a target and the services that no other target uses. Rejects when one of them takes too long. */
  async close(target: string): Promise<void> {
    const deployment = this.#deployments.get(target);
    this.#deployments.delete(target);
    try {
      if (deployment !== undefined) await withTimeout(deployment.close(), closeTimeoutMs, `${target}: close`);
    } finally {
      await withTimeout(this.#services.release(target), closeTimeoutMs, `${target}: release`);
    }
  }

  /** Closes every target; continues after a failure, and returns the failures' messages. */
  async closeAll(): Promise<readonly string[]> {
    return await this.#closeEach([...this.#deployments.keys(), ...this.#services.targets()]);
  }

  /**
   * Closes every target with a process of ours, or with files that the load client opens, so that the next `ensure` starts it
   * anew; what is only reached by its URL stays. Continues after a failure, and returns the failures' messages.
   */
  async closeOurs(): Promise<readonly string[]> {
    const ours = [...this.#deployments].filter(
      ([, { processes, endpoint }]) => processes.length > 0 || endpoint.url.startsWith('file:'),
    );
    return await this.#closeEach(ours.map(([target]) => target));
  }

  /** One that does not answer is found by its next use. */
  async #restOthers(target: string): Promise<void> {
    const within = AbortSignal.any([this.#context.signal, AbortSignal.timeout(checkTimeoutMs)]);
    const others = [...this.#awake].filter((name) => name !== target && this.#deployments.has(name));
    await Promise.allSettled(
      others.map(async (name) => {
        await this.#deployments.get(name)?.rest?.(within);
        this.#awake.delete(name);
      }),
    );
  }

  async #closeEach(targets: readonly string[]): Promise<readonly string[]> {
    const closing = await Promise.allSettled([...new Set(targets)].map(async (one) => await this.close(one)));
    return closing.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []));
  }
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

/** Facts say of which file the tables are: its name, and the beginning of its SHA-256. */
function withSetup(deployment: Deployment, path: string | null): Deployment {
  if (path === null) return deployment;
  const made = `${basename(path)} ${hash('sha256', readFileSync(path)).slice(0, 12)}`;
  return {
    ...deployment,
    async facts(signal) {
      const facts = await deployment.facts(signal);
      return { ...facts, settings: { ...facts.settings, 'fair_bench.setup': made } };
    },
  };
}
